import { expect, test } from 'vitest'
import { startAzureServer } from './fake-object-storage.ts'

test('rejects requests to Azure without a version, without a date, or from another time', async () => {
  const server = await startAzureServer()
  const send = async (headers: Record<string, string>) => {
    const response = await fetch(`${server.origin}/recorder/recordings/object`, { headers })
    return [response.status, /<Message>([^<]+)/.exec(await response.text())?.[1]]
  }
  const version = { 'x-ms-version': '2026-02-06' }
  const now = new Date().toUTCString()
  const tooOld = [403, 'Request date header too old.']
  expect((await send({ 'x-ms-date': now }))[0]).toBe(400)
  expect((await send({ 'x-ms-date': now, 'x-ms-version': 'latest' }))[0]).toBe(400)
  expect(await send(version)).toEqual(tooOld)
  const past = new Date(Date.now() - 16 * 60_000).toUTCString()
  expect(await send({ ...version, 'x-ms-date': past })).toEqual(tooOld)
  const unsigned = [403, 'Server failed to authenticate the request.']
  expect(await send({ ...version, 'x-ms-date': now })).toEqual(unsigned)
  await server.stop()
})
