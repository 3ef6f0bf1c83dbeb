def rotation(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    along = np.outer(axis, axis)
    return along + math.cos(angle) * (np.eye(3) - along) + math.sin(angle) * cross
