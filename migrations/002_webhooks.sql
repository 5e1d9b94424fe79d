CREATE TABLE webhook_endpoints (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  url text NOT NULL,
  description text NOT NULL,
  events text[] NOT NULL,
  sealed_secret bytea NOT NULL, -- encrypted, not hashed: signing needs it back
  sealed_previous_secret bytea, -- after a rotation it signs too, for a while
  previous_secret_until timestamptz(3),
  disabled_at timestamptz(3),
  disabled_reason text CHECK (disabled_reason IN ('paused', 'gone')),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK ((sealed_previous_secret IS NULL) = (previous_secret_until IS NULL)),
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);
CREATE INDEX webhook_endpoints_of_account ON webhook_endpoints (account_id, id DESC);

-- One event on its way to one endpoint. Without foreign keys, for the reason given at contacts.
CREATE TABLE deliveries (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  event_id text NOT NULL,
  type text NOT NULL,
  payload json NOT NULL, -- not jsonb: every attempt sends the same bytes
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(), -- of a claimed one: when its lease ends
  claim uuid, -- who is sending it now
  last_attempt_at timestamptz(3),
  last_status integer,
  last_error text,
  last_response text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  finished_at timestamptz(3),
  UNIQUE (endpoint_id, event_id),
  CHECK ((state = 'pending') = (finished_at IS NULL))
);
CREATE INDEX deliveries_of_endpoint ON deliveries (endpoint_id, id DESC);
CREATE INDEX deliveries_dead ON deliveries (endpoint_id, id DESC) WHERE state = 'dead';
CREATE INDEX deliveries_pending ON deliveries (endpoint_id, next_attempt_at) WHERE state = 'pending';
CREATE INDEX deliveries_age ON deliveries (created_at);
