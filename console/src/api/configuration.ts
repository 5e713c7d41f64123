/** The runtime configuration that stands beside the console's files; it changes without a build. */
export interface RuntimeConfiguration {
  /** absolute, or a path on the same host */
  apiBase: string
  /** what the server offers beyond the wire; empty for a server that is not ours */
  extensions: ReadonlySet<string>
  /** what is switched on for the console */
  switches: ReadonlySet<string>
  /** where the platform runs at Amazon, whose CloudWatch then has its logs; empty elsewhere */
  awsRegion: string
}

const textsIn = (list: unknown): ReadonlySet<string> => new Set(Array.isArray(list) ? list.map(String) : [])

/** Without an API base: the same host with the path /api/v1 (spec 0 §1). */
export const configurationOf = (given: unknown, origin: string): RuntimeConfiguration => {
  const members: { apiBase?: unknown; extensions?: unknown; switches?: unknown; awsRegion?: unknown } =
    typeof given === 'object' && given !== null ? given : {}
  const apiBase = typeof members.apiBase === 'string' && members.apiBase !== '' ? members.apiBase : `${origin}/api/v1`
  return {
    apiBase: apiBase.replace(/\/+$/, ''),
    extensions: textsIn(members.extensions),
    switches: textsIn(members.switches),
    awsRegion: typeof members.awsRegion === 'string' ? members.awsRegion : '',
  }
}

let configuration: RuntimeConfiguration | undefined

const fetched = async (): Promise<unknown> => {
  try {
    const response = await fetch('/config.json')
    return response.ok ? await response.json() : undefined
  } catch {
    return undefined
  }
}

/** Read once, before the first screen. */
export const loadConfiguration = async (): Promise<void> => {
  configuration = configurationOf(await fetched(), window.location.origin)
}

export const runtime = (): RuntimeConfiguration => configuration ?? configurationOf(undefined, window.location.origin)
