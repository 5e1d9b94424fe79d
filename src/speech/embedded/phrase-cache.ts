import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { join } from 'node:path';

export interface PhraseCacheOptions {
  /** Where phrases outlive the process; without it they do not. */
  folder?: string | undefined;
  memoryBytes?: number;
  diskBytes?: number;
}

/** What was rendered under these keys stays valid until the voices themselves change. */
const version = 1;
const extension = '.pcm';

/**
 * Phrases that were spoken once and may be again. Memory takes all, the least recently used go first. The
 * disk takes what was asked for a second time: that leaves out what is said to one person only, with the
 * name in it.
 */
export class PhraseCache {
  readonly #memory = new Map<string, Int16Array>();
  readonly #disk = new Map<string, number>();
  readonly #folder: string | undefined;
  readonly #memoryLimit: number;
  readonly #diskLimit: number;
  #memoryBytes = 0;
  #diskBytes = 0;
  #writing = Promise.resolve();

  private constructor({ folder, memoryBytes = 64e6, diskBytes = 256e6 }: PhraseCacheOptions) {
    this.#folder = folder;
    this.#memoryLimit = memoryBytes;
    this.#diskLimit = diskBytes;
  }

  static async open(options: PhraseCacheOptions): Promise<PhraseCache> {
    const cache = new PhraseCache(options);
    if (options.folder) await cache.#readFolder(options.folder);
    return cache;
  }

  static key(...parts: (string | number)[]): string {
    return createHash('sha256')
      .update(JSON.stringify([version, ...parts]))
      .digest('hex');
  }

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  get diskBytes(): number {
    return this.#diskBytes;
  }

  async find(key: string): Promise<Int16Array | undefined> {
    const remembered = this.#memory.get(key);
    if (remembered) {
      this.#memory.delete(key);
      this.#memory.set(key, remembered);
      this.#write(key, remembered);
      return remembered;
    }
    const stored = await this.#read(key);
    if (stored) this.#remember(key, stored);
    return stored;
  }

  add(key: string, samples: Int16Array): void {
    this.#remember(key, samples);
  }

  /** When nothing is left to be written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  #remember(key: string, samples: Int16Array): void {
    const known = this.#memory.get(key);
    if (known) this.#memoryBytes -= known.byteLength;
    this.#memory.delete(key);
    this.#memory.set(key, samples);
    this.#memoryBytes += samples.byteLength;
    for (const [oldest, { byteLength }] of this.#memory) {
      if (this.#memoryBytes <= this.#memoryLimit) return;
      this.#memory.delete(oldest);
      this.#memoryBytes -= byteLength;
    }
  }

  async #readFolder(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(folder)).filter((name) => name.endsWith(extension));
    const files = await Promise.all(
      names.map(async (name) => {
        const { size, mtimeMs } = await stat(join(folder, name));
        return { key: name.slice(0, -extension.length), size, mtimeMs };
      }),
    );
    for (const { key, size } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      this.#disk.set(key, size);
      this.#diskBytes += size;
    }
    await this.#makeRoom();
  }

  async #read(key: string): Promise<Int16Array | undefined> {
    const size = this.#disk.get(key);
    if (size === undefined) return undefined;
    try {
      const file = await readFile(this.#path(key));
      this.#disk.delete(key);
      this.#disk.set(key, size);
      const now = new Date();
      await utimes(this.#path(key), now, now);
      return new Int16Array(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength));
    } catch {
      // Somebody cleared the folder: the phrase is rendered again.
      this.#forget(key);
      return undefined;
    }
  }

  #write(key: string, samples: Int16Array): void {
    if (!this.#folder || this.#disk.has(key) || endianness() !== 'LE') return;
    this.#disk.set(key, samples.byteLength);
    this.#diskBytes += samples.byteLength;
    this.#writing = this.#writing.then(async () => {
      // Room may have been made of it before it was its turn.
      if (!this.#disk.has(key)) return;
      try {
        const part = `${this.#path(key)}.part`;
        await writeFile(part, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), { mode: 0o600 });
        await rename(part, this.#path(key));
        await this.#makeRoom();
      } catch {
        // A full disk costs speed, not speech.
        this.#forget(key);
      }
    });
  }

  async #makeRoom(): Promise<void> {
    for (const key of this.#disk.keys()) {
      if (this.#diskBytes <= this.#diskLimit) return;
      this.#forget(key);
      await rm(this.#path(key), { force: true });
    }
  }

  #forget(key: string): void {
    this.#diskBytes -= this.#disk.get(key) ?? 0;
    this.#disk.delete(key);
  }

  #path(key: string): string {
    return join(this.#folder ?? '', key + extension);
  }
}
