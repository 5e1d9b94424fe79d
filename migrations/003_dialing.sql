-- Whoever runs Parley on this database; one row for each process that places calls.
CREATE TABLE nodes (
  id uuid PRIMARY KEY,
  label text NOT NULL,
  trunk text NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  seen_at timestamptz(3) NOT NULL DEFAULT now()
);

ALTER TABLE accounts ADD max_calls integer CHECK (max_calls > 0); -- at once; null: no limit of its own
ALTER TABLE agents ADD max_calls integer CHECK (max_calls > 0);

ALTER TABLE calls
  ADD due_at timestamptz NOT NULL DEFAULT now(),
  ADD node_id uuid, -- who has it, of one that is neither queued nor ended
  ADD dialed_at timestamptz(3), -- written before the INVITE leaves: from then on it may ring, and is never dialled again
  ADD transcript jsonb,
  ADD answers jsonb,
  ADD rule_verdicts jsonb,
  ADD summary text,
  ADD has_recording boolean NOT NULL DEFAULT false,
  ADD latency jsonb,
  ADD quality jsonb,
  ADD notes text[] NOT NULL DEFAULT '{}', -- what went wrong without ending the call
  ADD callback_at timestamptz(3),
  ADD erased_at timestamptz(3),
  ALTER name DROP NOT NULL, -- erased
  ALTER to_phone_number DROP NOT NULL,
  ADD CHECK ((status IN ('dialing', 'ringing', 'in_progress')) = (node_id IS NOT NULL)),
  ADD CHECK ((name IS NULL) = (erased_at IS NOT NULL)),
  ADD CHECK ((to_phone_number IS NULL) = (erased_at IS NOT NULL));
DROP INDEX calls_queued;
CREATE INDEX calls_due ON calls (account_id, agent_id, due_at, id) WHERE status = 'queued';
CREATE INDEX calls_live ON calls (node_id, account_id, agent_id) WHERE status IN ('dialing', 'ringing', 'in_progress');
CREATE INDEX calls_erased ON calls (id) WHERE erased_at IS NOT NULL AND has_recording;

-- Who asked never to be called again. It outlives the erasure of the call: else they would be.
CREATE TABLE opt_outs (
  account_id uuid NOT NULL REFERENCES accounts,
  phone_number text NOT NULL,
  call_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, phone_number)
);

-- What happens in calls, as it happens; for those who watch.
CREATE TABLE call_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id uuid NOT NULL,
  call_id uuid NOT NULL,
  type text NOT NULL,
  data jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX call_events_of_call ON call_events (call_id, id);
CREATE INDEX call_events_of_account ON call_events (account_id, id);
CREATE INDEX call_events_age ON call_events (created_at);

-- What an operator wants of a call under way; the node that has the call takes it from here.
CREATE TABLE call_commands (
  id uuid PRIMARY KEY,
  call_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('hang-up', 'say')),
  text text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK ((kind = 'say') = (text IS NOT NULL))
);
CREATE INDEX call_commands_of_call ON call_commands (call_id, id);
