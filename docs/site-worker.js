// Browsers start no Worker for pages that are opened as files. Such pages run its script, the search, in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      this.send = inside.postMessage.bind(inside);
      inside.postMessage = (data) => this.onmessage?.({ data: structuredClone(data) });
      const script = inside.document.createElement("script");
      this.started = new Promise((resolve) => (script.onload = resolve));
      script.src = url;
      inside.document.body.append(script);
    }
    postMessage(data) {
      this.started.then(() => this.send(data, "*"));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
