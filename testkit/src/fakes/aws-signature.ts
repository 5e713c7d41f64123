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

interface SigningScope {
  /** `YYYYMMDD` */
  day: string
  region: string
  service: string
}

/**
 * Computes a Signature Version 4 (AWS: "Authenticating Requests", header-based).
 * @param names signed headers, separated by semicolons
 */
export const computeSignature = (
  { method, url = '', headers }: SignedRequest,
  { day, region, service }: SigningScope,
  names: string,
  secret: string,
  bodyHash: string,
): string => {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
  const query = [...searchParams].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  const canonical = [
    method,
    pathname,
    query.toSorted().join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    bodyHash,
  ].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`)
  return hmac(key, text).toString('hex')
}

const maxClockSkewMs = 15 * 60_000

/** Returns the time of an `x-amz-date` header such as `20260131T120000Z`. */
const parseAmazonDate = (date: string): number =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))

/** Code of the error with which AWS rejects a request. */
type SigningError = 'SignatureDoesNotMatch' | 'AuthorizationHeaderMalformed' | 'RequestTimeTooSkewed'

/**
 * Returns the reason to reject a request, if any.
 * @param region the only accepted region; all are by default
 * @param body content to hash; by default, the hash in the request's header is used
 */
export const findSigningError = (
  request: SignedRequest,
  { service, region, key }: { service: string; region?: string; key: AccessKey },
  body?: Buffer,
): SigningError | undefined => {
  const { headers } = request
  const [, signer, day = '', signedRegion = '', named, names = '', signature] =
    /Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)/.exec(
      headers.authorization ?? '',
    ) ?? []
  const date = String(headers['x-amz-date'])
  if (signer !== key.id || named !== service || !names.split(';').includes('host')) return 'SignatureDoesNotMatch'
  if (!date.startsWith(day) || (region !== undefined && signedRegion !== region)) return 'AuthorizationHeaderMalformed'
  // A date that cannot be parsed is not within the limit either.
  if (!(Math.abs(Date.now() - parseAmazonDate(date)) <= maxClockSkewMs)) return 'RequestTimeTooSkewed'
  const bodyHash = body === undefined ? String(headers['x-amz-content-sha256']) : sha256(body)
  const expected = computeSignature(request, { day, region: signedRegion, service }, names, key.secret, bodyHash)
  return signature === expected ? undefined : 'SignatureDoesNotMatch'
}

/** Returns whether a request to a service has a valid signature, in any region. */
export const isSigned = (request: SignedRequest, service: string, key: AccessKey, body?: Buffer): boolean =>
  findSigningError(request, { service, key }, body) === undefined

/** Returns whether the hash in the header of an S3 request is absent, or does not match the content. */
export const hasWrongBodyHash = ({ headers }: SignedRequest, body: Buffer): boolean => {
  const hash = String(headers['x-amz-content-sha256'])
  if (/^(?:UNSIGNED-PAYLOAD|STREAMING-[\w-]+)$/.test(hash)) return false
  return hash !== sha256(body)
}
