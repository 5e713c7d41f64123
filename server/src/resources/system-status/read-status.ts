import type { SystemComponent, SystemStatus } from '@patchbay/contract/system-status'
import { type ComponentId, componentIds, descriptions } from './components.ts'
import { type Check, checkTimeoutSeconds, describeFailure, type Finding, runBounded, toInstant } from './finding.ts'

/** The names of the components in messages about a failed check. */
const nouns: Readonly<Record<ComponentId, string>> = {
  database: 'database',
  redis: 'Redis server',
  backups: 'database',
  sbcs: 'database',
  'feature-servers': 'Redis server',
  'rtp-engines': 'Redis server',
  calls: 'InfluxDB server',
  traces: 'Jaeger server',
  logs: 'database',
  captures: 'Homer server',
  recordings: 'database',
  masking: 'database',
  'object-storage': 'recordings folder',
  certificates: 'database',
  mail: 'mail server',
  payment: 'payment provider',
  speech: 'database',
}

/** Time limits in seconds of checks that wait for one service after another, each within a limit of its own. */
const longerLimits: Partial<Record<ComponentId, number>> = { certificates: 3 * checkTimeoutSeconds }

const toComponent = (id: ComponentId, finding: Finding): SystemComponent => {
  const { state, detail, last_contact = null, version = null, parts = [], part_count = parts.length } = finding
  const { group, name, effect, fix, settings } = descriptions[id]
  return {
    id,
    group,
    name,
    state,
    detail,
    last_contact,
    version,
    effect,
    fix,
    settings: [...settings],
    parts: [...parts],
    part_count,
  }
}

interface StatusSources {
  checks: Readonly<Record<ComponentId, Check>>
  countCalls: () => Promise<SystemStatus['calls']>
}

/**
 * Creates a function that runs all checks at the same time, each within its time limit. A check that fails makes its
 * component `failing`.
 */
export const createStatusReader = ({ checks, countCalls }: StatusSources): (() => Promise<SystemStatus>) => {
  const bounded = componentIds.map((id) => [id, runBounded(checks[id], longerLimits[id])] as const)
  const countBounded = runBounded(countCalls)
  const runCheck = async (id: ComponentId, check: Check): Promise<SystemComponent> => {
    try {
      return toComponent(id, await check())
    } catch (error) {
      return toComponent(id, { state: 'failing', detail: describeFailure(error, nouns[id]) })
    }
  }
  return async () => {
    const [calls, ...components] = await Promise.all([
      countBounded().catch(() => null),
      ...bounded.map(([id, check]) => runCheck(id, check)),
    ])
    return { checked_at: toInstant(Date.now()), calls, components }
  }
}
