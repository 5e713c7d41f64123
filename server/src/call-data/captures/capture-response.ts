import type { Capture, CapturedMessage } from '@patchbay/contract/call-captures'
import { parseSipMessage } from '@patchbay/rules/sip/message-head'
import type { Endpoint, ReceivedMessage } from './captures.ts'

/**
 * Conversion of stored SIP messages to Homer's response format
 * (docs/reference/platform-api/traces-and-captures.md#captured-sip).
 */

const formatEndpoint = ({ address, port }: Endpoint): string => `${address}:${port}`

const toHomerFields = ({ sip_callid, at, transport, source, destination, agent }: ReceivedMessage, id: number) => ({
  id,
  sid: sip_callid,
  srcIp: source.address,
  srcPort: source.port,
  dstIp: destination.address,
  dstPort: destination.port,
  create_date: Math.floor(at / 1000),
  micro_ts: at,
  protocol: transport,
  ...(agent === undefined ? {} : { captureId: agent }),
})

const convertMessage = (message: ReceivedMessage, id: number) => {
  const raw = Buffer.from(message.content).toString('utf8')
  const { status, title, from_user, to_user } = parseSipMessage(raw) ?? {
    status: undefined,
    title: message.method,
    from_user: '',
    to_user: '',
  }
  const homerFields = toHomerFields(message, id)
  const [from, to] = [formatEndpoint(message.source), formatEndpoint(message.destination)]
  const method = status === undefined ? message.method : String(status)
  const captured: CapturedMessage = {
    ...homerFields,
    callid: message.sip_callid,
    payloadType: 1,
    method,
    from_user,
    to_user,
    raw,
  }
  const arrow = {
    ...homerFields,
    srcHost: from,
    dstHost: to,
    srcId: from,
    dstId: to,
    aliasSrc: from,
    aliasDst: to,
    method,
    method_text: title,
    msg_color: '',
    ruri_user: raw.slice(0, 50),
    destination: 0,
    table: message.method === 'REGISTER' ? 'hep_proto_1_registration' : 'hep_proto_1_call',
  }
  return { message: captured, arrow, hosts: [from, to] }
}

/** Returns captured messages in Homer's response format, numbered from 1. */
export const toCapture = (messages: readonly ReceivedMessage[]): Capture => {
  const converted = messages.map((message, at) => convertMessage(message, at + 1))
  const hosts = [...new Set(converted.flatMap((one) => one.hosts))]
  return {
    total: converted.length,
    data: {
      messages: converted.map(({ message }) => message),
      calldata: converted.map(({ arrow }) => arrow),
      hosts: Object.fromEntries(hosts.map((host, position) => [host, { host: [host], position }])),
      alias: Object.fromEntries(hosts.map((host) => [host, host])),
    },
    keys: Object.keys(converted[0]?.message ?? {}),
  }
}
