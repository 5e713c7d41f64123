import { analyzeFlow, type CallFlow, type FlowMessage, readCallFlows } from './call-flows.ts'

/** Changes a flow of the corpus, for look-alikes whose messages prove less. */

let flows: readonly CallFlow[] | undefined

type Change = (message: FlowMessage) => FlowMessage

/** Returns a flow after a change of its messages. */
export const changeFlow = (name: string, change: Change = (message) => message): CallFlow => {
  flows ??= readCallFlows()
  const flow = flows.find((one) => one.name === name)
  if (flow === undefined) throw new Error(`${name} is no flow`)
  return { ...flow, legs: flow.legs.map((leg) => ({ ...leg, messages: leg.messages.map(change) })) }
}

/** Returns the sentences of a rule about a flow after a change of its messages, with their severities. */
export const analyzeChanged = (name: string, rule: string, change?: Change): string[] =>
  analyzeFlow(changeFlow(name, change))
    .findings.filter((finding) => finding.rule === rule)
    .map(({ severity, text }) => `${severity}: ${text}`)

/** Moves the messages after a time, in seconds. */
export const moveAfter =
  (after: number, seconds: number) =>
  (message: FlowMessage): FlowMessage =>
    message.seconds > after ? { ...message, seconds: message.seconds + seconds } : message
