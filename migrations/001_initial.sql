-- Rows of accounts, agents and campaigns are never deleted, only marked: what refers to them stays true.

CREATE TABLE accounts (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  plan text NOT NULL CHECK (plan IN ('plus', 'basic')),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3)
);

CREATE TABLE oauth_clients (
  client_id text PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  name text NOT NULL,
  secret_hash bytea, -- null: the client signs in at an external issuer
  scopes text[] NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  revoked_at timestamptz(3)
);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  name text NOT NULL,
  key_hash bytea NOT NULL UNIQUE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  revoked_at timestamptz(3)
);

-- Whoever runs this installation, above all accounts.
CREATE TABLE admin_tokens (
  id uuid PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE signing_keys (
  kid text PRIMARY KEY,
  public_jwk jsonb NOT NULL,
  private_jwk jsonb, -- forgotten when the key retires
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  retired_at timestamptz(3),
  CHECK ((private_jwk IS NULL) = (retired_at IS NOT NULL))
);
CREATE UNIQUE INDEX signing_keys_current ON signing_keys ((true)) WHERE retired_at IS NULL;

CREATE TABLE server_secrets (
  name text PRIMARY KEY,
  value bytea NOT NULL
);

CREATE TABLE agents (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  phone_number text NOT NULL,
  name text NOT NULL,
  company text NOT NULL,
  voice text NOT NULL,
  language text NOT NULL,
  default_questions text[] NOT NULL,
  default_rules text[] NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  UNIQUE (account_id, id)
);
CREATE UNIQUE INDEX agents_phone_number ON agents (account_id, phone_number) WHERE deleted_at IS NULL;

CREATE TABLE campaigns (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  name text NOT NULL,
  country text NOT NULL,
  agent_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  archived_at timestamptz(3),
  FOREIGN KEY (account_id, agent_id) REFERENCES agents (account_id, id)
);
CREATE INDEX campaigns_of_account ON campaigns (account_id, id DESC);

-- Contacts and calls carry no foreign keys: every insert selects its owner in the same statement,
-- and checking each row again would lock that one owner row thousands of times a second.

CREATE TABLE contacts (
  campaign_id uuid NOT NULL,
  phone text NOT NULL,
  first_name text, -- null: never given
  last_name text,
  email text,
  metadata jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (campaign_id, phone)
);
CREATE INDEX contacts_email ON contacts (campaign_id, lower(email)) WHERE email <> '';

CREATE TABLE calls (
  id uuid PRIMARY KEY, -- version 7: in the order of acceptance
  account_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  campaign_id uuid,
  status text NOT NULL DEFAULT 'queued'
    CHECK (status IN ('queued', 'dialing', 'ringing', 'in_progress', 'ended')),
  name text NOT NULL,
  to_phone_number text NOT NULL,
  from_phone_number text NOT NULL,
  intro_notes text,
  intro_message text,
  intro_voicemail text,
  custom_questions text[],
  custom_rules text[],
  form_info jsonb NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  outcome jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  answered_at timestamptz(3),
  ended_at timestamptz(3),
  CHECK ((status = 'ended') = (outcome IS NOT NULL)),
  CHECK ((status = 'ended') = (ended_at IS NOT NULL))
);
CREATE INDEX calls_of_account ON calls (account_id, id DESC);
CREATE INDEX calls_to_phone_number ON calls (account_id, to_phone_number, id DESC);
CREATE INDEX calls_of_campaign ON calls (campaign_id, id DESC) WHERE campaign_id IS NOT NULL;
CREATE INDEX calls_queued ON calls (id) WHERE status = 'queued';

CREATE TABLE idempotency_keys (
  account_id uuid NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  body_hash bytea NOT NULL,
  response jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, operation, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
