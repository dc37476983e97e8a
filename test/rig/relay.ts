// A connection that a test can break: bytes go through a relay to a server on this machine.
import { connect, createServer, type Server, type Socket } from 'node:net';

/** What happens to a connection when its client sends a text: it breaks before, or after the server has answered. */
export interface Cut {
  readonly at: string;
  readonly when: 'before' | 'after';
  /** True if the server stays out of reach. */
  readonly stays?: boolean;
}

export class Relay {
  readonly #to: number;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #cut: Cut | undefined;
  /** True while the server is out of reach. Connections that are open stay so. */
  isAway = false;
  /** Time that everything takes from one end to the other. */
  delayMs = 0;
  /** Bytes that clients sent, by which a test sees that they are silent. */
  sent = 0;

  private constructor(to: number) {
    this.#to = to;
    this.#server = createServer((client) => this.#join(client));
  }

  static async to(port: number): Promise<Relay> {
    const relay = new Relay(port);
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** The address of a server, reached through the relay. */
  through(url: string): string {
    const address = new URL(url);
    address.port = String(this.port);
    return address.href;
  }

  /** Breaks the next connection whose client sends the text. */
  cutNext(cut: Cut): void {
    this.#cut = cut;
  }

  /** Breaks all connections. New ones are accepted. */
  cutAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async end(): Promise<void> {
    this.cutAll();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #later(send: () => void): void {
    if (this.delayMs === 0) return send();
    setTimeout(send, this.delayMs);
  }

  #join(client: Socket): void {
    if (this.isAway) return void client.destroy();
    const server = connect(this.#to, '127.0.0.1');
    let isCut = false;
    const end = () => {
      client.destroy();
      server.destroy();
      this.#open.delete(client);
    };
    this.#open.add(client);
    client.on('data', (bytes) => {
      this.sent += bytes.length;
      const cut = this.#cut;
      if (cut !== undefined && bytes.includes(cut.at)) {
        this.#cut = undefined;
        if (cut.stays) this.isAway = true;
        if (cut.when === 'before') return end();
        isCut = true;
      }
      this.#later(() => server.write(bytes));
    });
    server.on('data', (bytes) => this.#later(() => (isCut ? end() : client.write(bytes))));
    for (const socket of [client, server]) socket.on('close', end).on('error', end);
  }
}
