import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/**
 * The headers that helmet would set on every response. They are always the same, and putting them
 * together anew took a tenth of a small request.
 */
export function securityHeaders(publicUrl: string): Record<string, string> {
  const headers: Record<string, string> = {};
  const collect = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => {},
  };
  const apply = helmet(helmetOptions(publicUrl));
  apply({} as IncomingMessage, collect as unknown as ServerResponse, (error?: unknown) => {
    if (error) throw error;
  });
  return headers;
}

/** What makes browsers insist on https would break pages that are served over http. */
function helmetOptions(publicUrl: string): Parameters<typeof helmet>[0] {
  if (publicUrl.startsWith('https:')) return {};
  return {
    strictTransportSecurity: false,
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
  };
}
