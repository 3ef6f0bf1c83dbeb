def measured(steps, device):
    """run(), and the peak memory of tensors in bytes."""
    if device.type == "cuda":
        run(steps, device)
        return torch.cuda.max_memory_allocated(device)
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities, profile_memory=True) as profiler:
        run(steps, device)
    most, events = 0, profiler.profiler.kineto_results.experimental_event_tree()
    while events:
        event = events.pop()
        events.extend(event.children)
        most = max(most, getattr(event.extra_fields, "total_allocated", 0))
    return most


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--memory", action="store_true", help="and print the peak in bytes")
    arguments = parser.parse_args()
    device = torch.device(arguments.device)
    if arguments.memory:
        print("peak", measured(arguments.steps, device))
    else:
        run(arguments.steps, device)


if __name__ == "__main__":
    main()
