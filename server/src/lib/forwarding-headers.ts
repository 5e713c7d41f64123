import type { IncomingHttpHeaders } from 'node:http'

/** Returns whether a proxy has forwarded a request, so that its connection comes from the proxy and not from the client. */
export const isForwarded = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
