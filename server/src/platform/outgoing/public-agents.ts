import * as http from 'node:http'
import * as https from 'node:https'
import { publicNetworks } from './networks.ts'

/** Agents of Node, for libraries that take them. */
export interface Agents {
  http: http.Agent
  https: https.Agent
}

const seconds = 1000

const common = { keepAlive: false, timeout: 10 * seconds }

/** For addresses that the operator names. */
export const operatorAgents = (): Agents => ({ http: new http.Agent(common), https: new https.Agent(common) })

/** For those that a tenant names: the address is judged as it is connected to, whatever a name resolved to before. */
export const publicAgents = (allowed: readonly string[]): Agents => {
  const networks = publicNetworks(allowed)
  /** A host that is an address is not looked up. */
  const guarded = <A extends http.Agent>(agent: A): A => {
    const connect = agent.createConnection.bind(agent)
    agent.createConnection = (options, answer) => {
      networks.check(options.host ?? '')
      return connect(options, answer)
    }
    return agent
  }
  const looking = { ...common, lookup: networks.lookup }
  return { http: guarded(new http.Agent(looking)), https: guarded(new https.Agent(looking)) }
}
