import { randomUUID } from 'node:crypto'
import { findSipFindings } from '@patchbay/rules/sip/findings/findings'
import type { SipFinding } from '@patchbay/rules/sip/findings/rule'
import { type SipLadder, toLadder, toMultiLegLadder } from '@patchbay/rules/sip/ladder'
import { createHepIntake } from '@patchbay/server/call-data/ingest/hep-ingest'
import { hepAgent } from '@patchbay/testkit/peers/hep'
import { type SippSession, sipSession } from '@patchbay/testkit/peers/sipp'
import { createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { expect, test } from 'vitest'
import { callRecord, getRow, type Row } from './fixtures.ts'

/** Findings in SIPp calls, from the network traffic through the ingest server and the API. */

const sessions = {
  call: 'call',
  'the called party hangs up': 'the called party hangs up',
  'the caller gives up': 'the caller gives up',
  'the called party is busy': 'the called party is busy',
  'the next hop is overloaded': 'the next hop is overloaded',
  'no codec in common': 'no codec in common',
  'credentials are refused': 'credentials are refused',
  'no ACK': 'no ACK',
  'audio one way': 'audio one way',
  'no answer': 'no answer',
  'a registration': 'a registration',
  'a registration with a wrong password': 'a registration with a wrong password',
} as const satisfies Record<string, SippSession>

type Session = keyof typeof sessions

const sessionNames = Object.keys(sessions) as Session[]

/** Runs all sessions concurrently, because each of them mostly waits. */
const capturedSessions = async (api: TestApi): Promise<ReadonlyMap<Session, SipLadder>> => {
  const service_provider_sid = await api.provider()
  const account_sid = await api.account(service_provider_sid)
  /** Creates a carrier that is registered with a Call-ID. */
  const storeRegistration = async (callId: string) => {
    const body = { name: randomUUID(), account_sid }
    const response = await api.admin.post(`/ServiceProviders/${service_provider_sid}/VoipCarriers`, body)
    await api.test.database.db
      .updateTable('voip_carriers')
      .set({ register_status: JSON.stringify({ callId }) })
      .where('voip_carrier_sid', '=', member(response, 'sid'))
      .execute()
  }
  const intake = createHepIntake({ sink: api.sinks.captures, logger: api.app.log })
  const agent = hepAgent(await intake.listen({ host: '127.0.0.1', port: 0 }))
  const captured = async (name: Session) => {
    const callid = `${randomUUID()}@127.0.0.1`
    const time = BigInt(Date.now()) * 1_000_000n
    if (name.startsWith('a registration')) await storeRegistration(callid)
    else await api.sinks.calls.store([callRecord(account_sid, { sip_callid: callid, time })])
    const isHopBetween = name === 'the next hop is overloaded'
    const address = { host: '127.0.0.1', callid, isHopBetween }
    const { length } = await sipSession(sessions[name], address, (packet) => agent.send(packet))
    const read = async () => getRow(await api.admin.get(`/Accounts/${account_sid}/RecentCalls/${callid}`))
    await expect.poll(async () => (await read())['total']).toBe(length)
    return [name, toLadder(await read())] as const
  }
  const ladders = new Map(await Promise.all(sessionNames.map(captured)))
  agent.stop()
  await intake.close(5000)
  return ladders
}

/** Formats findings with stable names for hosts and durations, which differ between runs. */
const describeFindings = (ladder: SipLadder): string[] => {
  const hosts = ladder.lanes.map(({ host }) => host)
  return findSipFindings(ladder).map(({ severity, text }: SipFinding) =>
    hosts
      .reduce((normalized, host, lane) => normalized.replaceAll(host, `host ${lane}`), `${severity}: ${text}`)
      .replaceAll(/127\.0\.0\.1:\d+/g, 'media')
      .replaceAll(/\d+\.\d+ s/g, 'n s')
      .replaceAll(/\b(?:once|twice|\d+ times)/g, 'n times'),
  )
}

const arrowsIn = ({ arrows }: SipLadder): string[] => arrows.map(({ from, to, title }) => `${from} ${title} ${to}`)

test('calls with errors are shown as a ladder with findings that name the cause', async () => {
  const api = await createTestApi()
  const ladders = await capturedSessions(api)
  await api.close()
  const ladderIn = (name: Session): SipLadder => ladders.get(name) ?? toLadder(undefined)
  expect(arrowsIn(ladderIn('call'))).toEqual([
    '0 INVITE 1',
    '1 180 Ringing 0',
    '1 200 OK 0',
    '0 ACK 1',
    '0 BYE 1',
    '1 200 OK 0',
  ])
  expect(arrowsIn(ladderIn('the next hop is overloaded'))).toEqual([
    '0 INVITE 1',
    '1 INVITE 2',
    '2 100 Trying 1',
    '1 100 Trying 0',
    '2 503 Service Unavailable 1',
    '1 503 Service Unavailable 0',
    '0 ACK 1',
    '1 ACK 2',
  ])
  const retransmissionCount = ladderIn('no answer').arrows[0]?.again.length
  expect([retransmissionCount, ladderIn('no ACK').arrows[1]?.again.length].every((count) => Number(count) >= 1)).toBe(
    true,
  )
  expect(Object.fromEntries(sessionNames.map((name) => [name, describeFindings(ladderIn(name))]))).toEqual({
    call: [
      'good: The called party (host 1) answered after n s; n s until 180 Ringing.',
      'info: The caller (host 0) hung up n s after the answer.',
      'good: Audio in both directions was agreed between media and media: PCMU.',
      'info: Neither side names telephone-event: DTMF arrives as in-band audio or not at all.',
    ],
    'the called party hangs up': [
      'good: The called party (host 1) answered after n s; n s until 180 Ringing.',
      'info: The called party (host 1) hung up n s after the answer. Reason given: Q.850 cause 16, normal call clearing.',
      'good: Audio in both directions was agreed between media and media: PCMU.',
    ],
    'the caller gives up': ['info: The caller (host 0) canceled the call n s after it began, before it was answered.'],
    'the called party is busy': [
      'warn: The called party (host 1) rejected the call with 486 Busy Here: the called party is busy. Reason given: Q.850 cause 17, user busy.',
    ],
    'the next hop is overloaded': [
      'bad: The called party (host 2) rejected the call with 503 Service Unavailable: it is overloaded, in maintenance, or has no route to the called party. host 1 forwarded that response. It asks to send it no calls for 30 seconds.',
    ],
    'no codec in common': [
      'bad: The called party (host 1) rejected the call with 488 Not Acceptable Here: it did not accept the media that were offered. It warns: Incompatible media format.',
      'bad: The called party (host 1) did not accept the media offered by the caller (host 0): G729.',
    ],
    'credentials are refused': [
      'bad: The called party (host 1) rejected the credentials of the caller (host 0) for the realm patchbay.example n times (407 Proxy Authentication Required): the user name or the password is wrong, or the realm is not the one they are for.',
    ],
    'no ACK': [
      'good: The called party (host 1) answered after n s.',
      'info: No BYE was captured: the call is still in progress, or its end did not pass a capture point.',
      'bad: The caller (host 0) never acknowledged the answer of the called party (host 1) (200 OK, sent n times): no ACK was captured.',
      'good: Audio in both directions was agreed between media and media: PCMU.',
    ],
    'audio one way': [
      'good: The called party (host 1) answered after n s.',
      'info: The caller (host 0) hung up n s after the answer.',
      'bad: One-way audio: the called party (host 1) sent a=sendonly in its SDP, so the caller hears the called party but is not heard.',
    ],
    'no answer': [
      'warn: The called party (host 1) never answered the INVITE, sent n times in n s. It is down or unreachable, or its responses do not come back. Only n s after it were captured.',
    ],
    'a registration': ['good: host 1 accepted the registration of host 0 (200 OK, for 600 s).'],
    'a registration with a wrong password': [
      'bad: host 1 rejected the REGISTER with 403 Forbidden: it does not allow the request, even with credentials. The REGISTER contained credentials, so the password is wrong or the user is not allowed to register (§10.3).',
    ],
  })
  expect(arrowsIn(ladderIn('a registration'))).toEqual([
    '0 REGISTER 1',
    '1 401 Unauthorized 0',
    '0 REGISTER 1',
    '1 200 OK 0',
  ])
})

test('the legs of a bridged call are found by their records, and the failed leg is identified', async () => {
  const api = await createTestApi()
  const account_sid = await api.account(await api.provider())
  const intake = createHepIntake({ sink: api.sinks.captures, logger: api.app.log })
  const agent = hepAgent(await intake.listen({ host: '127.0.0.1', port: 0 }))
  const [first, other] = [`a-${randomUUID()}`, `b-${randomUUID()}`]
  await api.sinks.calls.store([
    callRecord(account_sid, { sip_callid: first, time: BigInt(Date.now()) * 1_000_000n }),
    callRecord(account_sid, {
      sip_callid: other,
      time: BigInt(Date.now()) * 1_000_000n,
      sip_parent_callid: first,
      direction: 'outbound',
    }),
  ])
  const runSession = (name: SippSession, callid: string) =>
    sipSession(name, { host: '127.0.0.1', callid }, (packet) => agent.send(packet))
  // The sessions run in this order because the leg with the earlier INVITE counts as the first.
  await runSession('call', first)
  await runSession('the called party is busy', other)
  const readCapture = async (callid: string) =>
    getRow(await api.admin.get(`/Accounts/${account_sid}/RecentCalls/${callid}`))
  await expect
    .poll(async () => [(await readCapture(first))['total'], (await readCapture(other))['total']])
    .toEqual([6, 4])
  const legs = await api.admin.get(`/patchbay/accounts/${account_sid}/call-legs?sip_callid=${other}`)
  const callids = (legs.body as Row[]).map((leg) => String(leg['sip_callid']))
  expect(new Set(callids)).toEqual(new Set([first, other]))
  const whole = toMultiLegLadder([
    { name: 'A', capture: await readCapture(first) },
    { name: 'B', capture: await readCapture(other) },
  ])
  expect(whole.arrows.filter(({ leg }) => leg === 1).map(({ title }) => title)).toEqual([
    'INVITE',
    '100 Trying',
    '486 Busy Here',
    'ACK',
  ])
  expect(describeFindings(whole).filter((text) => text.includes('failed'))).toEqual([
    expect.stringContaining('486 Busy Here'),
  ])
  agent.stop()
  await intake.close(5000)
  await api.close()
})
