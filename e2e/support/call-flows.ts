import { ipProtocols, readCallFlows } from '@patchbay/testkit/calls/call-flows'
import { hepAgent, hepPacket } from '@patchbay/testkit/peers/hep'
import { aCall, type CallOwner, type WrittenCall, writeCalls } from './calls.ts'

interface CapturedAt {
  intakePort: number
  hepPort: number
}

/**
 * Writes a call and sends its messages from a call flow of the corpus (testkit/call-flows), like the platform's components
 * and a capture agent. Returns the call and the number of its messages.
 */
export const writeCallFlow = async (
  { intakePort, hepPort }: CapturedAt,
  owner: CallOwner,
  name: string,
  more: Partial<WrittenCall> = {},
): Promise<{ call: WrittenCall; callid: string; length: number }> => {
  const flow = readCallFlows().find((one) => one.name === name)
  if (flow === undefined) throw new Error(`the corpus has no call flow ${name}`)
  const call = aCall({
    attempted_at: Date.now() - 60_000,
    duration: 20,
    remote_host: flow.call.remote_host ?? '',
    ...more,
  })
  const callid = `sip-${call.call_sid}`
  await writeCalls(intakePort, owner, [call])
  const agent = hepAgent(hepPort)
  for (const { seconds, source, destination, transport, agent: id, text } of flow.messages)
    await agent.send(
      hepPacket({
        source: source.address,
        sourcePort: source.port,
        destination: destination.address,
        destinationPort: destination.port,
        transport: ipProtocols[transport],
        ...(id === undefined ? {} : { agent: id }),
        at: (call.attempted_at + Math.round(seconds * 1000)) * 1000,
        payload: Buffer.from(text.replaceAll(flow.callId, callid)),
      }),
    )
  agent.stop()
  return { call, callid, length: flow.messages.length }
}
