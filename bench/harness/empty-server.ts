import { createServer } from 'node:http';

/** The reference of bench/process.ts: the least that Node needs to answer a request. Argument: port. */
const server = createServer((_request, response) => response.end('ok'));
server.listen(Number(process.argv[2]), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
