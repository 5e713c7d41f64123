import type { AgentEvents } from '../agent-events/agent-events.ts'
import type { Masking } from './masking.ts'
import type { MaskingPurpose } from './pattern-budgets.ts'

/** Returns the store of agent events, with the texts of events masked before they are stored and when they are read. */
export const maskAgentEvents = (agentEvents: AgentEvents, masking: Masking): AgentEvents => {
  const maskContents = async <E extends { event: Parameters<Masking['maskEvents']>[1][number] }>(
    account_sid: string,
    events: readonly E[],
    purpose: MaskingPurpose,
  ): Promise<E[]> => {
    if (events.length === 0) return []
    const rules = await masking.findRules({ account_sid })
    const contents = await masking.maskEvents(
      rules,
      events.map(({ event }) => event),
      purpose,
    )
    return events.map((envelope, at) => ({ ...envelope, event: contents[at] ?? {} }))
  }
  return {
    findNew: (account_sid, events) => agentEvents.findNew(account_sid, events),
    store: async (account_sid, events) =>
      agentEvents.store(account_sid, await maskContents(account_sid, events, 'store')),
    read: async (account_sid, call_sid) =>
      maskContents(account_sid, await agentEvents.read(account_sid, call_sid), 'read'),
  }
}
