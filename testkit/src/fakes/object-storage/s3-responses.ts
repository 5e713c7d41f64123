import type { FakeResponse } from './fake-storage.ts'

/** The responses of the fake of Amazon S3 (docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html). */

/** Statuses and messages of the error codes of S3. */
const errors = {
  AccessDenied: [403, 'Access Denied'],
  AuthorizationHeaderMalformed: [400, 'The authorization header is malformed; the region is wrong.'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size'],
  InvalidAccessKeyId: [403, 'The AWS Access Key Id you provided does not exist in our records.'],
  InvalidArgument: [400, 'Part number must be an integer between 1 and 10000, inclusive'],
  InvalidPart: [400, 'One or more of the specified parts could not be found.'],
  InvalidPartOrder: [400, 'The list of parts was not in ascending order.'],
  InvalidRange: [416, 'The requested range is not satisfiable'],
  KeyTooLongError: [400, 'Your key is too long'],
  MalformedXML: [400, 'The XML you provided was not well-formed or did not validate against our published schema'],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchUpload: [404, 'The specified multipart upload does not exist.'],
  NotImplemented: [501, 'A header or query you provided requested a function that is not implemented.'],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold'],
  RequestTimeTooSkewed: [403, 'The difference between the request time and the current time is too large.'],
  SignatureDoesNotMatch: [403, 'The request signature we calculated does not match the signature you provided.'],
  SlowDown: [503, 'Please reduce your request rate.'],
  XAmzContentSHA256Mismatch: [400, "The provided 'x-amz-content-sha256' header does not match what was computed."],
} as const

export type S3ErrorCode = keyof typeof errors

export const respondWithXml = (status: number, content: string): FakeResponse => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${content}`,
})

export const respondWithError = (status: number, code: string, message: string): FakeResponse =>
  respondWithXml(status, `<Error><Code>${code}</Code><Message>${message}</Message></Error>`)

/** Rejects a request as Amazon S3 does. */
export const reject = (code: S3ErrorCode): FakeResponse => respondWithError(errors[code][0], code, errors[code][1])
