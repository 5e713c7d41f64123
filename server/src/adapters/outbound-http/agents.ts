import * as http from 'node:http'
import * as https from 'node:https'
import type { AddressPolicy } from './ssrf-guard.ts'

/** Agents of Node, which connect as an address policy allows. */
export interface Agents {
  http: http.Agent
  https: https.Agent
}

/**
 * Creates agents that open a connection for every request. The address is checked when the connection is made, so a
 * name that resolved to another address before makes no difference.
 */
export const createAgents = (policy: AddressPolicy): Agents => {
  // Node does not look up a host that is an IP address, so that is checked here.
  const guard = <A extends http.Agent>(agent: A): A => {
    const connect = agent.createConnection.bind(agent)
    agent.createConnection = (options, answer) => {
      policy.check(options.host ?? '')
      return connect(options, answer)
    }
    return agent
  }
  const options = { keepAlive: false, lookup: policy.lookup }
  return { http: guard(new http.Agent(options)), https: guard(new https.Agent(options)) }
}
