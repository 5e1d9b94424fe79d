-- Made by npm run schema from migrations/; not to be edited.

CREATE TABLE accounts (
  id uuid NOT NULL,
  name text NOT NULL,
  plan text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  deleted_at timestamp(3) with time zone,
  max_calls integer,
  CONSTRAINT accounts_pkey PRIMARY KEY (id),
  CONSTRAINT accounts_max_calls_check CHECK ((max_calls > 0)),
  CONSTRAINT accounts_plan_check CHECK ((plan = ANY (ARRAY['plus'::text, 'basic'::text])))
);

CREATE TABLE admin_tokens (
  id uuid NOT NULL,
  token_hash bytea NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT admin_tokens_token_hash_key UNIQUE (token_hash),
  CONSTRAINT admin_tokens_pkey PRIMARY KEY (id)
);

CREATE TABLE agents (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  phone_number text NOT NULL,
  name text NOT NULL,
  company text NOT NULL,
  voice text NOT NULL,
  language text NOT NULL,
  default_questions text[] NOT NULL,
  default_rules text[] NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  deleted_at timestamp(3) with time zone,
  max_calls integer,
  CONSTRAINT agents_account_id_id_key UNIQUE (account_id, id),
  CONSTRAINT agents_pkey PRIMARY KEY (id),
  CONSTRAINT agents_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  CONSTRAINT agents_max_calls_check CHECK ((max_calls > 0))
);
CREATE UNIQUE INDEX agents_phone_number ON agents USING btree (account_id, phone_number) WHERE (deleted_at IS NULL);

CREATE TABLE api_keys (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  name text NOT NULL,
  key_hash bytea NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  revoked_at timestamp(3) with time zone,
  CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash),
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

CREATE TABLE call_commands (
  id uuid NOT NULL,
  call_id uuid NOT NULL,
  kind text NOT NULL,
  text text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT call_commands_pkey PRIMARY KEY (id),
  CONSTRAINT call_commands_check CHECK (((kind = 'say'::text) = (text IS NOT NULL))),
  CONSTRAINT call_commands_kind_check CHECK ((kind = ANY (ARRAY['hang-up'::text, 'say'::text])))
);
CREATE INDEX call_commands_of_call ON call_commands USING btree (call_id, id);

CREATE TABLE call_events (
  id bigint NOT NULL,
  account_id uuid NOT NULL,
  call_id uuid NOT NULL,
  type text NOT NULL,
  data jsonb NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT call_events_pkey PRIMARY KEY (id)
);
CREATE INDEX call_events_age ON call_events USING btree (created_at);
CREATE INDEX call_events_of_account ON call_events USING btree (account_id, id);
CREATE INDEX call_events_of_call ON call_events USING btree (call_id, id);

CREATE TABLE calls (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  campaign_id uuid,
  status text NOT NULL DEFAULT 'queued'::text,
  name text,
  to_phone_number text,
  from_phone_number text NOT NULL,
  intro_notes text,
  intro_message text,
  intro_voicemail text,
  custom_questions text[],
  custom_rules text[],
  form_info jsonb NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  outcome jsonb,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  answered_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  due_at timestamp with time zone NOT NULL DEFAULT now(),
  node_id uuid,
  dialed_at timestamp(3) with time zone,
  transcript jsonb,
  answers jsonb,
  rule_verdicts jsonb,
  summary text,
  has_recording boolean NOT NULL DEFAULT false,
  latency jsonb,
  quality jsonb,
  notes text[] NOT NULL DEFAULT '{}'::text[],
  callback_at timestamp(3) with time zone,
  erased_at timestamp(3) with time zone,
  CONSTRAINT calls_pkey PRIMARY KEY (id),
  CONSTRAINT calls_check CHECK (((status = 'ended'::text) = (outcome IS NOT NULL))),
  CONSTRAINT calls_check1 CHECK (((status = 'ended'::text) = (ended_at IS NOT NULL))),
  CONSTRAINT calls_check2 CHECK (((status = ANY (ARRAY['dialing'::text, 'ringing'::text, 'in_progress'::text])) = (node_id IS NOT NULL))),
  CONSTRAINT calls_check3 CHECK (((name IS NULL) = (erased_at IS NOT NULL))),
  CONSTRAINT calls_check4 CHECK (((to_phone_number IS NULL) = (erased_at IS NOT NULL))),
  CONSTRAINT calls_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'dialing'::text, 'ringing'::text, 'in_progress'::text, 'ended'::text])))
);
CREATE INDEX calls_due ON calls USING btree (account_id, agent_id, due_at, id) WHERE (status = 'queued'::text);
CREATE INDEX calls_erased ON calls USING btree (id) WHERE ((erased_at IS NOT NULL) AND has_recording);
CREATE INDEX calls_live ON calls USING btree (node_id, account_id, agent_id) WHERE (status = ANY (ARRAY['dialing'::text, 'ringing'::text, 'in_progress'::text]));
CREATE INDEX calls_of_account ON calls USING btree (account_id, id DESC);
CREATE INDEX calls_of_campaign ON calls USING btree (campaign_id, id DESC) WHERE (campaign_id IS NOT NULL);
CREATE INDEX calls_to_phone_number ON calls USING btree (account_id, to_phone_number, id DESC);

CREATE TABLE campaigns (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  name text NOT NULL,
  country text NOT NULL,
  agent_id uuid,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  archived_at timestamp(3) with time zone,
  CONSTRAINT campaigns_pkey PRIMARY KEY (id),
  CONSTRAINT campaigns_account_id_agent_id_fkey FOREIGN KEY (account_id, agent_id) REFERENCES agents(account_id, id),
  CONSTRAINT campaigns_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX campaigns_of_account ON campaigns USING btree (account_id, id DESC);

CREATE TABLE contacts (
  campaign_id uuid NOT NULL,
  phone text NOT NULL,
  first_name text,
  last_name text,
  email text,
  metadata jsonb,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT contacts_pkey PRIMARY KEY (campaign_id, phone)
);
CREATE INDEX contacts_email ON contacts USING btree (campaign_id, lower(email)) WHERE (email <> ''::text);

CREATE TABLE deliveries (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  event_id text NOT NULL,
  type text NOT NULL,
  payload json NOT NULL,
  state text NOT NULL DEFAULT 'pending'::text,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamp with time zone NOT NULL DEFAULT now(),
  claim uuid,
  last_attempt_at timestamp(3) with time zone,
  last_status integer,
  last_error text,
  last_response text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  finished_at timestamp(3) with time zone,
  CONSTRAINT deliveries_endpoint_id_event_id_key UNIQUE (endpoint_id, event_id),
  CONSTRAINT deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT deliveries_check CHECK (((state = 'pending'::text) = (finished_at IS NULL))),
  CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text])))
);
CREATE INDEX deliveries_age ON deliveries USING btree (created_at);
CREATE INDEX deliveries_dead ON deliveries USING btree (endpoint_id, id DESC) WHERE (state = 'dead'::text);
CREATE INDEX deliveries_of_endpoint ON deliveries USING btree (endpoint_id, id DESC);
CREATE INDEX deliveries_pending ON deliveries USING btree (endpoint_id, next_attempt_at) WHERE (state = 'pending'::text);

CREATE TABLE idempotency_keys (
  account_id uuid NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  body_hash bytea NOT NULL,
  response jsonb NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, operation, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys USING btree (created_at);

CREATE TABLE nodes (
  id uuid NOT NULL,
  label text NOT NULL,
  trunk text NOT NULL,
  started_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  seen_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT nodes_pkey PRIMARY KEY (id)
);

CREATE TABLE oauth_clients (
  client_id text NOT NULL,
  account_id uuid NOT NULL,
  name text NOT NULL,
  secret_hash bytea,
  scopes text[] NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  revoked_at timestamp(3) with time zone,
  CONSTRAINT oauth_clients_pkey PRIMARY KEY (client_id),
  CONSTRAINT oauth_clients_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

CREATE TABLE opt_outs (
  account_id uuid NOT NULL,
  phone_number text NOT NULL,
  call_id uuid,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT opt_outs_pkey PRIMARY KEY (account_id, phone_number),
  CONSTRAINT opt_outs_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

CREATE TABLE schema_migrations (
  name text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (name)
);

CREATE TABLE server_secrets (
  name text NOT NULL,
  value bytea NOT NULL,
  CONSTRAINT server_secrets_pkey PRIMARY KEY (name)
);

CREATE TABLE signing_keys (
  kid text NOT NULL,
  public_jwk jsonb NOT NULL,
  private_jwk jsonb,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  retired_at timestamp(3) with time zone,
  CONSTRAINT signing_keys_pkey PRIMARY KEY (kid),
  CONSTRAINT signing_keys_check CHECK (((private_jwk IS NULL) = (retired_at IS NOT NULL)))
);
CREATE UNIQUE INDEX signing_keys_current ON signing_keys USING btree ((true)) WHERE (retired_at IS NULL);

CREATE TABLE webhook_endpoints (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  url text NOT NULL,
  description text NOT NULL,
  events text[] NOT NULL,
  sealed_secret bytea NOT NULL,
  sealed_previous_secret bytea,
  previous_secret_until timestamp(3) with time zone,
  disabled_at timestamp(3) with time zone,
  disabled_reason text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_endpoints_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  CONSTRAINT webhook_endpoints_check CHECK (((sealed_previous_secret IS NULL) = (previous_secret_until IS NULL))),
  CONSTRAINT webhook_endpoints_check1 CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL))),
  CONSTRAINT webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['paused'::text, 'gone'::text])))
);
CREATE INDEX webhook_endpoints_of_account ON webhook_endpoints USING btree (account_id, id DESC);
