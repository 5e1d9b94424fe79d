import { v7 as newId } from 'uuid';
import { z } from 'zod';
import { outboundCallBody, unknownFieldWarnings } from '../../domain/call.ts';
import { Problem } from '../../domain/problem.ts';
import { inBatches } from '../../store/batches.ts';
import { type Acceptance, acceptCallOnce, acceptCalls, type CallToAccept, mayPlaceCalls } from '../../store/calls.ts';
import type { App, AppDeps } from '../app-types.ts';
import { requireCallToken, tokenProblem } from '../authenticate.ts';
import { answerEarlier, idempotencyHeaders, idempotentRequest } from '../idempotency-key.ts';
import { problemResponses } from '../problem-responses.ts';

const acceptanceSchema = z
  .object({ callId: z.uuid(), status: z.literal('queued'), message: z.string(), warnings: z.array(z.string()) })
  .meta({ id: 'AcceptedCall' });

// The largest body that the limits of the fields allow, with room for escapes.
const bodyLimit = 4 * 1024 * 1024;

export function outboundRoutes(app: App, deps: AppDeps): void {
  const accept = inBatches((calls: CallToAccept[]) => acceptCalls(deps.db, calls));

  app.post(
    '/outbound',
    {
      onRequest: requireCallToken(deps),
      bodyLimit,
      attachValidation: true,
      schema: {
        operationId: 'placeCall',
        summary: 'Trigger an outbound call',
        description:
          'Records the call durably; it is then placed exactly once. Send an `Idempotency-Key` to make a repeated request harmless.',
        tags: ['Calls'],
        security: [{ accessToken: [] }],
        headers: idempotencyHeaders,
        body: outboundCallBody,
        response: { 200: acceptanceSchema, ...problemResponses },
      },
    },
    async (request, reply): Promise<Acceptance> => {
      if (request.validationError) {
        const may = await mayPlaceCalls(deps.db, request.clientId);
        throw may === 'yes' ? request.validationError : refusal(may);
      }
      const call = request.body;
      const acceptance: Acceptance = {
        callId: newId(),
        status: 'queued',
        message: 'The call is accepted and will be placed.',
        warnings: [...unknownFieldWarnings(call), ...deps.ruleWarnings(call.customRules ?? [])],
      };
      const idempotent = idempotentRequest(request, 'POST /outbound');
      const accepted = idempotent
        ? await acceptCallOnce(deps.db, request.clientId, call, idempotent, acceptance)
        : await accept({ clientId: request.clientId, id: acceptance.callId, call });
      switch (accepted.kind) {
        case 'accepted':
          deps.metrics.callsAccepted.inc();
          return acceptance;
        case 'unknown_client':
        case 'plan_required':
        case 'from_number_not_owned':
          throw refusal(accepted.kind);
        default:
          return answerEarlier(accepted, reply);
      }
    },
  );
}

function refusal(kind: 'unknown_client' | 'plan_required' | 'from_number_not_owned'): Problem {
  switch (kind) {
    case 'unknown_client':
      return tokenProblem('invalid_token', 'The client of this access token is unknown or revoked.');
    case 'plan_required':
      return new Problem('plan_required', 'Outbound calls need the Plus plan.');
    case 'from_number_not_owned':
      return new Problem('from_number_not_owned', 'fromPhoneNumber is not a number of one of your agents.', {
        errors: [{ path: 'fromPhoneNumber', message: 'must be the number of one of your agents' }],
      });
  }
}
