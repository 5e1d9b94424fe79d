import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { countOpenCalls } from '../store/calls.ts';
import type { DatabasePool } from '../store/database.ts';

export type Metrics = {
  registry: Registry;
  requestSeconds: Histogram<'method' | 'route' | 'status'>;
  callsAccepted: Counter;
  tokensIssued: Counter;
  tokensRefused: Counter;
  contactsProcessed: Counter<'action'>;
};

export function createMetrics(db: DatabasePool): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'parley_database_connections',
    help: 'Connections to the database, by state',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'idle' }, db.idleCount);
      this.set({ state: 'busy' }, db.totalCount - db.idleCount);
      this.set({ state: 'awaited' }, db.waitingCount);
    },
  });
  new Gauge({
    name: 'parley_calls',
    help: 'Calls that have not ended, of all processes on this database, by status',
    labelNames: ['status'],
    registers,
    async collect() {
      this.reset();
      for (const { status, calls } of await countOpenCalls(db)) this.set({ status }, calls);
    },
  });
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'parley_http_request_seconds',
      help: 'Time from request to response',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    callsAccepted: new Counter({ name: 'parley_calls_accepted_total', help: 'Outbound calls accepted', registers }),
    tokensIssued: new Counter({ name: 'parley_tokens_issued_total', help: 'Access tokens issued', registers }),
    tokensRefused: new Counter({
      name: 'parley_tokens_refused_total',
      help: 'Token requests whose client could not be authenticated',
      registers,
    }),
    contactsProcessed: new Counter({
      name: 'parley_contacts_processed_total',
      help: 'Contacts of batch requests, by what became of them',
      labelNames: ['action'],
      registers,
    }),
  };
}
