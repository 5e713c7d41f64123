import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ensureProgram } from '../../../scripts/run/programs.mjs'

/** A packet of a libpcap file as decoded by TShark. */
export interface ReadPacket {
  /** Seconds since the Unix epoch, with nanoseconds. */
  time: string
  source: string
  sourcePort: number
  destination: string
  destinationPort: number
  /** Method of a request or status of a response. */
  what: string
  callid: string
  /** Names of the layers, such as eth:ethertype:ip:udp:sip. */
  layers: string
  /** Problems with checksums, lengths, or decoding. Empty if there are none. */
  faults: string
}

const fields = [
  'frame.time_epoch',
  'ip.src',
  'ipv6.src',
  'udp.srcport',
  'ip.dst',
  'ipv6.dst',
  'udp.dstport',
  'sip.Method',
  'sip.Status-Code',
  'sip.Call-ID',
  'frame.protocols',
  '_ws.malformed',
  '_ws.expert.message',
  'ip.checksum.status',
  'udp.checksum.status',
]

const good = '1'

const parsePacket = (line: string): ReadPacket => {
  const values = line.split('\t')
  const of = (name: string) => values[fields.indexOf(name)] ?? ''
  const checksums = [of('ip.checksum.status'), of('udp.checksum.status')].filter((status) => status !== '')
  return {
    time: of('frame.time_epoch'),
    source: of('ip.src') || of('ipv6.src'),
    sourcePort: Number(of('udp.srcport')),
    destination: of('ip.dst') || of('ipv6.dst'),
    destinationPort: Number(of('udp.dstport')),
    what: of('sip.Method') || of('sip.Status-Code'),
    callid: of('sip.Call-ID'),
    layers: of('frame.protocols'),
    faults: [
      of('_ws.malformed'),
      ...of('_ws.expert.message')
        .split(',')
        .filter((message) => /checksum|length|malformed|exceed/i.test(message)),
      ...checksums.filter((status) => status !== good).map((status) => `checksum ${status}`),
    ]
      .filter(Boolean)
      .join(', '),
  }
}

/** Decodes a libpcap file. @param sipPorts UDP ports that carry SIP */
export const readPcap = async (file: Uint8Array, sipPorts: readonly number[]): Promise<ReadPacket[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-pcap-'))
  const path = join(folder, 'read.pcap')
  try {
    await writeFile(path, file)
    const readOptions = [
      '-r',
      path,
      '-n',
      '-T',
      'fields',
      '-o',
      'ip.check_checksum:TRUE',
      '-o',
      'udp.check_checksum:TRUE',
    ]
    const spoken = sipPorts.flatMap((port) => ['-d', `udp.port==${port},sip`])
    const args = [...readOptions, ...spoken, ...fields.flatMap((field) => ['-e', field])]
    const { stdout } = await promisify(execFile)(await ensureProgram('tshark'), args, { maxBuffer: 64 * 1024 * 1024 })
    return stdout.split('\n').filter(Boolean).map(parsePacket)
  } finally {
    await rm(folder, { recursive: true })
  }
}
