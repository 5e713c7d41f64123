import * as http from 'node:http'
import * as https from 'node:https'
import type { AddressPolicy } from './ssrf-guard.ts'

/** Node agents that enforce an address policy. */
export interface Agents {
  http: http.Agent
  https: https.Agent
}

/**
 * Creates agents that open a new connection for each request. The address is checked when the connection is opened, so
 * a change of the DNS record since an earlier check has no effect.
 */
export const createAgents = (policy: AddressPolicy): Agents => {
  // Node does not resolve a host that is an IP address, so it is checked here.
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
