import type { Capture, CapturedMessage } from '@patchbay/contract/call-captures'
import { parseSipMessage } from '@patchbay/contract/sip/message-head'
import type { Endpoint, SeenMessage } from './captures.ts'

/** Messages as Homer answers them (api/4-calls-and-hosted.md §2.3). */

const hostOf = ({ address, port }: Endpoint): string => `${address}:${port}`

const seenOf = ({ sip_callid, at, transport, source, destination }: SeenMessage, id: number) => ({
  id,
  sid: sip_callid,
  srcIp: source.address,
  srcPort: source.port,
  dstIp: destination.address,
  dstPort: destination.port,
  create_date: Math.floor(at / 1000),
  micro_ts: at,
  protocol: transport,
})

const shown = (message: SeenMessage, id: number) => {
  const raw = Buffer.from(message.content).toString('utf8')
  const { status, title, from_user, to_user } = parseSipMessage(raw) ?? {
    status: undefined,
    title: message.method,
    from_user: '',
    to_user: '',
  }
  const seen = seenOf(message, id)
  const [from, to] = [hostOf(message.source), hostOf(message.destination)]
  const method = status === undefined ? message.method : String(status)
  const told: CapturedMessage = {
    ...seen,
    callid: message.sip_callid,
    payloadType: 1,
    method,
    from_user,
    to_user,
    raw,
  }
  const arrow = {
    ...seen,
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
  return { told, arrow, hosts: [from, to] }
}

export const wireCapture = (messages: readonly SeenMessage[]): Capture => {
  const all = messages.map((message, at) => shown(message, at + 1))
  const hosts = [...new Set(all.flatMap((one) => one.hosts))]
  return {
    total: all.length,
    data: {
      messages: all.map(({ told }) => told),
      calldata: all.map(({ arrow }) => arrow),
      hosts: Object.fromEntries(hosts.map((host, position) => [host, { host: [host], position }])),
      alias: Object.fromEntries(hosts.map((host) => [host, host])),
    },
    keys: Object.keys(all[0]?.told ?? {}),
  }
}
