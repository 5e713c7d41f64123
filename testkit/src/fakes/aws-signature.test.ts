import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { computeSignature, findSigningError } from './aws-signature.ts'
import { startS3Server } from './object-storage/s3.ts'

const toAmazonDate = (time: number): string => new Date(time).toISOString().replaceAll(/[-:]|\.\d+/g, '')

test('rejects requests to S3 with a wrong time, region, or body hash', async () => {
  const server = await startS3Server()
  const { endpoint, name, access_key_id, secret_access_key } = server.credential
  const upload = async ({ skewMs = 0, region = 'us-east-1', hashed = 'content', secret = secret_access_key }) => {
    const url = `/${name}/object`
    const bodyHash = createHash('sha256').update(hashed).digest('hex')
    const date = toAmazonDate(Date.now() + skewMs)
    const names = 'host;x-amz-content-sha256;x-amz-date'
    const headers = { host: new URL(endpoint).host, 'x-amz-content-sha256': bodyHash, 'x-amz-date': date }
    const scope = { day: date.slice(0, 8), region, service: 's3' }
    const signature = computeSignature({ method: 'PUT', url, headers }, scope, names, secret, bodyHash)
    const credential = `${access_key_id}/${scope.day}/${region}/s3/aws4_request`
    const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`
    const response = await fetch(endpoint + url, {
      method: 'PUT',
      headers: { ...headers, authorization },
      body: 'content',
    })
    return [response.status, /<Code>(\w+)/.exec(await response.text())?.[1]]
  }
  const minute = 60_000
  expect(await upload({})).toEqual([200, undefined])
  for (const skewMs of [14 * minute, -14 * minute]) expect(await upload({ skewMs })).toEqual([200, undefined])
  for (const skewMs of [16 * minute, -16 * minute])
    expect(await upload({ skewMs })).toEqual([403, 'RequestTimeTooSkewed'])
  expect(await upload({ region: 'eu-west-1' })).toEqual([400, 'AuthorizationHeaderMalformed'])
  expect(await upload({ hashed: 'other content' })).toEqual([400, 'XAmzContentSHA256Mismatch'])
  expect(await upload({ secret: 'wrong' })).toEqual([403, 'SignatureDoesNotMatch'])
  await server.stop()
})

test('rejects requests to other services with a wrong time, region, key, or content', () => {
  const key = { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'a-secret' }
  const body = Buffer.from('content')
  const find = ({ skewMs = 0, region = 'us-east-1', signer = key, content = body }) => {
    const date = toAmazonDate(Date.now() + skewMs)
    const headers = { host: 'polly.example.com', 'x-amz-date': date }
    const request = { method: 'POST', url: '/v1/speech', headers }
    const scope = { day: date.slice(0, 8), region, service: 'polly' }
    const bodyHash = createHash('sha256').update(body).digest('hex')
    const signature = computeSignature(request, scope, 'host;x-amz-date', signer.secret, bodyHash)
    const credential = `${signer.id}/${scope.day}/${region}/polly/aws4_request`
    const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host;x-amz-date, Signature=${signature}`
    const expected = { service: 'polly', region: 'us-east-1', key }
    return findSigningError({ ...request, headers: { ...headers, authorization } }, expected, content)
  }
  const minute = 60_000
  for (const skewMs of [0, 14 * minute, -14 * minute]) expect(find({ skewMs })).toBeUndefined()
  for (const skewMs of [16 * minute, -16 * minute]) expect(find({ skewMs })).toBe('RequestTimeTooSkewed')
  expect(find({ region: 'eu-west-1' })).toBe('AuthorizationHeaderMalformed')
  for (const signer of [
    { ...key, secret: 'wrong' },
    { ...key, id: 'AKIAOTHER' },
  ])
    expect(find({ signer })).toBe('SignatureDoesNotMatch')
  expect(find({ content: Buffer.from('other content') })).toBe('SignatureDoesNotMatch')
})
