/** Name of agent events among the sources of a conversation. In a module of its own, because the console compares it. */
export const agentEventSource = 'agent events'
