def load(path, volume=0):
    """A scan's values with axes k, j, i, and its voxels' sizes along i, j, k."""
    if not os.path.exists(path):
        raise SystemExit(f"There is no {path}: see SCANS at the top.")
    try:
        import nibabel

        scan = nibabel.load(path)
        values, spacing = np.asarray(scan.dataobj, dtype=np.float32).T, scan.header.get_zooms()
    except Exception:  # no nibabel, or not its format
        import SimpleITK

        if os.path.isdir(path):
            path = SimpleITK.ImageSeriesReader.GetGDCMSeriesFileNames(path)
        scan = SimpleITK.ReadImage(path)
        values, spacing = SimpleITK.GetArrayFromImage(scan).astype(np.float32), scan.GetSpacing()
    values = values[volume] if values.ndim == 4 else values[None] if values.ndim == 2 else values
    return np.ascontiguousarray(values), [float(size) for size in spacing[:3]]
