import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { Application } from '@patchbay/contract/applications'
import type { TriedStatus } from '@patchbay/contract/webhooks/webhooks'
import { createAudioSdp } from '../../lib/sdp.ts'

/**
 * Sample requests to webhooks for an inbound call. The fields have the same order as in jambonz (its webhook reference
 * and the requests of its published server; docs/reference/platform-api/live-calls.md#call-records-in-redis). The
 * addresses are documentation addresses from RFC 5737.
 */

type Members = Readonly<Record<string, unknown>>

/** Identifiers of the sample call. */
interface Sample {
  from: string
  to: string
  call_sid: string
  trace_id: string
  call_id: string
  sbc_callid: string
}

interface Owner {
  account_sid: string
  service_provider_sid: string | null
}

const caller = '203.0.113.10'
const sbc = '198.51.100.20'
const featureServer = '198.51.100.30:5060'
const trunk = 'Webhook test'

export const createSampleCall = (from: string, to: string): Sample => ({
  from,
  to,
  call_sid: randomUUID(),
  trace_id: randomBytes(16).toString('hex'),
  call_id: randomUUID(),
  sbc_callid: randomUUID(),
})

const callSdp = createAudioSdp(sbc, 40_000, [0, 8, 101])

/** Creates the INVITE as received by the feature server. */
const createInvite = ({ from, to, call_id, sbc_callid }: Sample, application_sid: string, { account_sid }: Owner) => {
  const uri = `sip:${to}@${featureServer}`
  const headers = {
    via: `SIP/2.0/UDP ${sbc};rport;branch=z9hG4bK${randomBytes(8).toString('hex')}`,
    'max-forwards': '70',
    from: `<sip:${from}@${caller}>;tag=${randomBytes(6).toString('hex')}`,
    to: `<sip:${to}@${sbc}>`,
    'call-id': call_id,
    cseq: `${randomInt(1, 2 ** 31)} INVITE`,
    contact: `<sip:${from}@${sbc}:5060>`,
    'content-type': 'application/sdp',
    'content-length': String(callSdp.length),
    'X-Account-Sid': account_sid,
    'X-CID': sbc_callid,
    'X-Forwarded-For': caller,
    'X-Originating-Carrier': trunk,
    'X-Application-Sid': application_sid,
  }
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return {
    headers,
    raw: [`INVITE ${uri} SIP/2.0`, ...headerLines, '', callSdp].join('\r\n'),
    body: callSdp,
    method: 'INVITE',
    version: '2.0',
    uri,
    payload: [{ type: 'application/sdp', content: callSdp }],
  }
}

const omitEmpty = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== ''))

/** Returns the speech settings of the application. */
const getDefaults = (application: Application) => {
  const { speech_synthesis_vendor, speech_synthesis_language, speech_synthesis_voice } = application
  const { speech_recognizer_vendor, speech_recognizer_language } = application
  return {
    synthesizer: {
      vendor: speech_synthesis_vendor,
      ...omitEmpty({ label: application.speech_synthesis_label }),
      language: speech_synthesis_language,
      voice: speech_synthesis_voice,
      ...omitEmpty({
        fallback_vendor: application.fallback_speech_synthesis_vendor,
        fallback_label: application.fallback_speech_synthesis_label,
        fallback_language: application.fallback_speech_synthesis_language,
        fallback_voice: application.fallback_speech_synthesis_voice,
      }),
    },
    recognizer: {
      vendor: speech_recognizer_vendor,
      ...omitEmpty({ label: application.speech_recognizer_label }),
      language: speech_recognizer_language,
      ...omitEmpty({
        fallback_vendor: application.fallback_speech_recognizer_vendor,
        fallback_label: application.fallback_speech_recognizer_label,
        fallback_language: application.fallback_speech_recognizer_language,
      }),
    },
  }
}

const originFields = { originating_sip_ip: caller, originating_sip_trunk_name: trunk }

/** Creates the request to a calling webhook. Only POST requests contain `sip`. */
export const createNewCallPayload = (
  sample: Sample,
  application: Application,
  owner: Owner,
  method: 'GET' | 'POST',
): Members => {
  const { application_sid, env_vars } = application
  const { from, to, call_sid, trace_id, call_id, sbc_callid } = sample
  return {
    ...(method === 'POST' ? { sip: createInvite(sample, application_sid, owner) } : {}),
    direction: 'inbound',
    trace_id,
    caller_name: '',
    call_sid,
    account_sid: owner.account_sid,
    application_sid,
    from,
    to,
    call_id,
    sip_status: 100,
    sip_reason: 'Trying',
    call_status: 'trying',
    sbc_callid,
    ...originFields,
    local_sip_address: featureServer,
    service_provider_sid: owner.service_provider_sid,
    defaults: getDefaults(application),
    ...(env_vars && Object.keys(env_vars).length > 0 ? { env_vars } : {}),
  }
}

const outcomes: Readonly<Record<TriedStatus, Members>> = {
  trying: { sip_status: 100, sip_reason: 'Trying' },
  'early-media': { sip_status: 183, sip_reason: 'Session Progress' },
  'in-progress': { sip_status: 200, sip_reason: 'OK' },
  completed: { sip_status: 200, sip_reason: 'OK' },
  'no-answer': { sip_status: 487, sip_reason: 'Request Terminated' },
}

/** Additional fields of completed calls: the party that ended it, and its duration in seconds if it was answered. */
const endings: Partial<Readonly<Record<TriedStatus, Members>>> = {
  completed: { call_termination_by: 'caller', duration: 42 },
  'no-answer': { call_termination_by: 'caller' },
}

/** Creates the request to a call status webhook. */
export const createCallStatusPayload = (
  { from, to, call_sid, trace_id, call_id, sbc_callid }: Sample,
  { application_sid }: Application,
  { account_sid }: Owner,
  call_status: TriedStatus,
): Members => ({
  call_sid,
  direction: 'inbound',
  from,
  to,
  call_id,
  sbc_callid,
  ...outcomes[call_status],
  call_status,
  account_sid,
  trace_id,
  application_sid,
  fs_sip_address: featureServer,
  ...originFields,
  ...endings[call_status],
})
