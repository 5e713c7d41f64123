import { randomBytes, randomUUID } from 'node:crypto'
import type { CallRecord } from '@patchbay/server/call-data/calls/call-record'
import { type Answer, member } from '@patchbay/testkit/test-api'
import { beforeEach, describe, expect, test } from 'vitest'
import { callDataPlaces } from './call-data.ts'
import { callRecord, nanosecondsAt, type Row } from './fixtures.ts'

/** Finding the legs of a call, without those of other tenants. */

const start = Date.parse('2026-11-02T10:00:00Z')

describe.each(callDataPlaces)('in %s', async (_place, open) => {
  const { api, storeCalls } = await open()
  let provider: string
  let account_sid: string
  beforeEach(async () => {
    provider = await api.provider()
    account_sid = await api.account(provider)
  })

  const store = (...calls: (Partial<CallRecord> & { of?: string; at: number })[]) =>
    storeCalls(
      calls.map(({ of = account_sid, at, ...more }) =>
        callRecord(of, { service_provider_sid: provider, time: nanosecondsAt(start + at), ...more }),
      ),
    )
  const requestLegs = (sip_callid: string, owner = account_sid): Promise<Answer> =>
    api.admin.get(`/patchbay/accounts/${owner}/call-legs?sip_callid=${encodeURIComponent(sip_callid)}`)
  const legs = async (sip_callid: string, of?: string) => {
    const answer = await requestLegs(sip_callid, of)
    expect(answer.status).toBe(200)
    return (answer.body as Row[]).map((leg) => leg['sip_callid'])
  }

  test('legs share a trace, were created by the call, or created it, and are sorted from oldest to newest', async () => {
    const trace_id = randomBytes(16).toString('hex')
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => `${name}-${randomUUID()}`) as [
      string,
      string,
      string,
      string,
    ]
    const [others, untraced] = [await api.account(provider), '0'.repeat(32)]
    await store(
      { at: 0, sip_callid: a, trace_id },
      { at: 2000, sip_callid: b, sip_parent_callid: a, direction: 'outbound' },
      { at: 1000, sip_callid: c, trace_id, direction: 'outbound' },
      { at: 3000, sip_callid: d, trace_id: untraced },
      { at: 4000, sip_callid: `e-${d}`, trace_id: untraced },
      { at: 0, of: others, sip_callid: `f-${a}`, trace_id },
      { at: 500, of: others, sip_callid: `g-${a}`, sip_parent_callid: a },
    )
    expect(await legs(a)).toEqual([a, c, b])
    expect(await legs(b)).toEqual([a, b])
    expect(await legs(c)).toEqual([a, c])
    expect(await legs(d)).toEqual([d])
    expect(await legs(`f-${a}`)).toEqual([])
    expect(await legs(`f-${a}`, others)).toEqual([`f-${a}`])
  })

  test('an unknown parent has the legs that it created, and an invalid Call-ID has no legs', async () => {
    const [parent, child] = [randomUUID(), randomUUID()]
    await store({ at: 0, sip_callid: child, sip_parent_callid: parent })
    expect(await legs(parent)).toEqual([child])
    for (const nonsense of [randomUUID(), 'with a space', "'; DROP TABLE cdrs", 'é', '\u0000'])
      expect(await legs(nonsense)).toEqual([])
    expect(member(await requestLegs(''), 'msg')).toBeDefined()
    expect((await requestLegs('')).status).toBe(400)
    expect((await requestLegs('x'.repeat(256))).status).toBe(400)
  })
})
