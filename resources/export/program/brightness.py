def brightness(patch, factor):
    return patch * factor
