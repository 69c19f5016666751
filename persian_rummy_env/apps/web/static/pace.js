// What the server sends, shown in turn: each move of another player stays for a while before the next one is shown.
const LONG = 60;

export class Pace {
  /** `show` shows a state of the table, and returns for how many milliseconds it is to stay. */
  constructor(show) {
    this.show = show;
    this.waiting = [];
    this.until = 0;
    this.held = false;
    this.timer = null;
    this.seen = () => this.next();
    document.addEventListener("visibilitychange", this.seen);
  }

  add(state) {
    this.waiting.push(state);
    this.next();
  }

  next() {
    clearTimeout(this.timer);
    while (this.waiting.length && !this.held) {
      if (document.hidden || this.waiting.length > LONG) this.until = 0;
      const wait = this.until - performance.now();
      if (wait > 0) {
        this.timer = setTimeout(() => this.next(), wait);
        return;
      }
      this.until = performance.now() + this.show(this.waiting.shift());
    }
  }

  /** Show nothing more until `release`. */
  hold() {
    this.held = true;
  }

  release() {
    this.held = false;
    this.until = 0;
    this.next();
  }

  close() {
    this.hold();
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.seen);
  }
}
