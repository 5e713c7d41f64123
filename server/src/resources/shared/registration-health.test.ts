import { type CallFlow, readCallFlows, startOfFlows, toFlowCapture } from '@patchbay/testkit/calls/call-flows'
import { expect, test } from 'vitest'
import type { Captures } from '../../call-data/captures/captures.ts'
import { createRegistrationReader } from './registration-health.ts'

/** Reports of a refusal, with the captured REGISTERs of the corpus of call flows. */

const flows = readCallFlows().filter(({ messages }) => messages[0]?.text.startsWith('REGISTER '))
const now = startOfFlows + 60_000

const createCaptures = (read: () => unknown, filters = true): Captures => ({
  filters,
  read: (() => Promise.resolve().then(read)) as Captures['read'],
  pcap: () => Promise.resolve(undefined),
})
const report = (more: object = {}) =>
  JSON.stringify({ status: 'fail', reason: '401 Unauthorized', cseq: '1 REGISTER', callId: 'a@b', ...more })

const readState = async (captures: Captures, register_status = report()) => {
  const read = createRegistrationReader(captures)
  return (await read([{ voip_carrier_sid: 'c', register_status }], now)).get('c')
}
const readFlow = (flow: CallFlow, more: object = {}) =>
  readState(
    createCaptures(() => toFlowCapture(flow)),
    report(more),
  )

test.each([
  ['healthy/register', 'registered'],
  ['healthy/register-423', 'registered'],
  ['healthy/register-nonce-without-stale', 'registered'],
  ['healthy/register-503-then-ok', 'registered'],
  ['healthy/register-redirected', 'registered'],
  ['healthy/register-removed', 'failing'],
  ['faulty/register-wrong-password', 'failing'],
  ['faulty/register-403', 'failing'],
  ['faulty/register-silent', 'failing'],
  ['faulty/register-failed-later', 'failing'],
])('a refusal with the captured REGISTERs of %s is %s', async (name, state) => {
  const flow = flows.find((one) => one.name === name)
  if (flow === undefined) throw new Error(`no flow ${name}`)
  const health = await readFlow(flow)
  expect(health).toMatchObject({ state, reason: '401 Unauthorized' })
  expect(health?.settled_at === null).toBe(state === 'failing')
})

test('a refusal that was reported after all captured REGISTERs stays a failure', async () => {
  for (const flow of flows) expect(await readFlow(flow, { cseq: '99 REGISTER' })).toMatchObject({ state: 'failing' })
})

test('a capture that is elsewhere, or cannot be read, proves nothing, and valid registrations need none', async () => {
  const [flow] = flows
  const capture = () => flow && toFlowCapture(flow)
  expect(await readState(createCaptures(capture, false))).toMatchObject({ state: 'failing' })
  const broken = createCaptures(() => {
    throw new Error('the database does not respond')
  })
  expect(await readState(broken)).toMatchObject({ state: 'failing' })
  expect(await readState(broken, report({ status: 'ok' }))).toMatchObject({ state: 'registered', settled_at: null })
})
