import { directSockets } from '../../src/rtp/direct-sockets.ts';
import { FrameClock } from '../../src/rtp/frame-clock.ts';
import { headerBytes, writeRtpHeader } from '../../src/rtp/packet.ts';

/**
 * The other side of many calls: sends a packet every 20 ms for each and reads what comes. It neither decodes nor
 * buffers, so that it leaves the machine to the side that is measured.
 */
const host = '127.0.0.1';
const sockets = directSockets();
const clock = new FrameClock({
  onWake: () => sockets.poll(),
  onServed: () => sockets.flush(),
  rest: sockets.rest,
});
const packet = Buffer.alloc(headerBytes + 160, 0x55);
let nextPort = 41_000;

process.on('message', async (ports: number[]) => {
  const own: number[] = [];
  for (const port of ports) {
    const socket = await sockets.open(host, nextPort, () => {});
    if (!socket) throw new Error(`Port ${nextPort} is taken`);
    own.push(nextPort);
    const ssrc = nextPort;
    nextPort += 2;
    socket.connect(host, port);
    clock.add({
      onFrame(frame) {
        const [sequence, timestamp] = [frame & 0xffff, (frame * 160) >>> 0];
        writeRtpHeader(packet, { payloadType: 0, isMarked: false, sequence, timestamp, ssrc });
        socket.send(packet);
      },
    });
  }
  process.send?.(own);
});
process.on('disconnect', () => process.exit());
