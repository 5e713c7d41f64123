import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export interface AccessKey {
  id: string
  secret: string
}

interface SignedRequest {
  method?: string
  /** Path and query. */
  url?: string
  headers: IncomingHttpHeaders
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text, 'utf8').digest()

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

/**
 * Returns whether a request has a valid Signature Version 4 of a service (AWS: "Authenticating Requests",
 * header-based). Without `body`, the hash in the request's header is used.
 */
export const isSigned = (
  { method, url = '', headers }: SignedRequest,
  service: string,
  { id, secret }: AccessKey,
  body?: Buffer,
): boolean => {
  const [, signer, day = '', region = '', named, names = '', signature] =
    /Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)/.exec(
      headers.authorization ?? '',
    ) ?? []
  if (signer !== id || named !== service || !names.split(';').includes('host')) return false
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
  const query = [...searchParams].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  const canonical = [
    method,
    pathname,
    query.toSorted().join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    body === undefined ? headers['x-amz-content-sha256'] : sha256(body),
  ].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`)
  return hmac(key, text).toString('hex') === signature
}
