/** Every fault that a caller can meet, by its stable code (RFC 9457). */
export const problems = {
  malformed_json: [400, 'Malformed JSON'],
  invalid_request: [400, 'Invalid request'],
  invalid_api_key: [401, 'API key missing or unknown'],
  missing_token: [403, 'Access token missing'],
  invalid_token: [403, 'Access token not valid'],
  insufficient_scope: [403, 'Access token lacks the scope'],
  plan_required: [403, 'Plus plan required'],
  from_number_not_owned: [403, 'Number not owned'],
  forbidden: [403, 'Forbidden'],
  not_found: [404, 'Not found'],
  no_recording: [404, 'No recording'],
  recording_elsewhere: [404, 'Recording is not here'],
  method_not_allowed: [405, 'Method not allowed'],
  request_timeout: [408, 'Request timed out'],
  idempotency_in_progress: [409, 'Request already in progress'],
  phone_number_taken: [409, 'Phone number already has an agent'],
  campaign_archived: [409, 'Campaign is archived'],
  call_not_cancellable: [409, 'Call cannot be cancelled'],
  call_not_live: [409, 'Call is not under way'],
  call_not_in_progress: [409, 'Call is not in progress'],
  call_not_ended: [409, 'Call has not ended'],
  webhook_disabled: [409, 'Webhook is disabled'],
  too_many_webhooks: [409, 'Too many webhooks'],
  payload_too_large: [413, 'Payload too large'],
  unsupported_media_type: [415, 'Unsupported media type'],
  range_not_satisfiable: [416, 'Range not satisfiable'],
  idempotency_key_reused: [422, 'Idempotency key reused'],
  too_many_requests: [429, 'Too many requests'],
  too_many_streams: [429, 'Too many event streams'],
  headers_too_large: [431, 'Request headers too large'],
  internal_error: [500, 'Internal error'],
  unavailable: [503, 'Service unavailable'],
} as const satisfies Record<string, readonly [number, string]>;

export type ProblemCode = keyof typeof problems;

export type FieldError = { path: string; message: string };

/** The caller's fault: what it throws is what the caller reads. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ProblemCode,
    detail: string,
    extra: { errors?: FieldError[]; headers?: Record<string, string> } = {},
  ) {
    super(detail);
    this.name = 'Problem';
    this.code = code;
    this.errors = extra.errors;
    this.headers = extra.headers ?? {};
  }

  get status(): number {
    return problems[this.code][0];
  }

  toJSON() {
    const [status, title] = problems[this.code];
    return {
      type: `urn:parley:problem:${this.code}`,
      title,
      status,
      detail: this.message,
      code: this.code,
      ...(this.errors && { errors: this.errors }),
    };
  }
}
