import { createSocket } from 'node:dgram';
import { UserAgent } from '../../src/sip/user-agent.ts';

/** Answers calls and tells, in milliseconds, how long after its 200 the first packet of voice came. */
const host = '127.0.0.1';

const agent = new UserAgent({
  host,
  port: 0,
  onInvite: (call) => {
    const socket = createSocket('udp4').bind(0, host, () => {
      const sdp = `v=0\r\no=- 1 1 IN IP4 ${host}\r\ns=-\r\nc=IN IP4 ${host}\r\nt=0 0\r\nm=audio ${socket.address().port} RTP/AVP 0\r\n`;
      const answeredAt = performance.now();
      call.answer(sdp);
      socket.once('message', () => process.send?.(performance.now() - answeredAt));
    });
    call.ended.then(() => socket.close());
  },
});
await agent.listen();
process.send?.(agent.localPort('udp'));
process.on('disconnect', () => process.exit());
