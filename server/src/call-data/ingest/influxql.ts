/** The few statements of InfluxQL that writers send before they write, and the answers InfluxDB 1.8 gives to them. */

interface Series {
  name?: string
  columns: readonly string[]
  values: readonly (readonly (string | number | boolean)[])[]
}

export interface QueryAnswer {
  results: { statement_id: number; series?: Series[] }[]
}

/** Statements of a query: each may list every database. */
const maxStatements = 16

/** An error is the text of a 400. */
export type QueryOutcome = { ok: true; answer: QueryAnswer } | { ok: false; error: string }

type Statement = { kind: 'show databases' } | { kind: 'show policies' } | { kind: 'create'; database: string }

const showDatabases = /^show\s+databases$/i
const showPolicies = /^show\s+retention\s+policies(?:\s+on\s+\S.*)?$/is
const createDatabase = /^create\s+database\s+(?:"((?:[^"\\]|\\.){1,255})"|([A-Za-z_][\w-]{0,254}))(?:\s+with\b.*)?$/is

/** Statements are parted by semicolons outside quotes. */
const statementsOf = (query: string): string[] => {
  const found: string[] = []
  let start = 0
  let quoted = false
  for (let at = 0; at < query.length; at += 1) {
    const character = query[at]
    if (character === '\\' && quoted) at += 1
    else if (character === '"') quoted = !quoted
    else if (character === ';' && !quoted) {
      found.push(query.slice(start, at))
      start = at + 1
    }
  }
  return [...found, query.slice(start)].map((statement) => statement.trim()).filter((statement) => statement !== '')
}

const parse = (statement: string): Statement | undefined => {
  if (showDatabases.test(statement)) return { kind: 'show databases' }
  if (showPolicies.test(statement)) return { kind: 'show policies' }
  const [, quoted, bare] = createDatabase.exec(statement) ?? []
  const database = quoted?.replace(/\\(.)/gs, '$1') ?? bare
  return database === undefined ? undefined : { kind: 'create', database }
}

const defaultPolicy: Series = {
  columns: ['name', 'duration', 'shardGroupDuration', 'replicaN', 'default'],
  values: [['autogen', '0s', '168h0m0s', 1, true]],
}

/** Names are remembered for whoever asks next, but not without end. */
const maxDatabases = 1000

const run = (statement: Statement, databases: Set<string>): { series?: Series[] } => {
  if (statement.kind === 'show databases')
    return { series: [{ name: 'databases', columns: ['name'], values: [...databases].map((name) => [name]) }] }
  if (statement.kind === 'show policies') return { series: [defaultPolicy] }
  if (databases.size < maxDatabases) databases.add(statement.database)
  return {}
}

/**
 * Answers a query of one or several statements. `databases` is the set of names known so far, to which creating adds;
 * a query with anything else in it does nothing at all.
 */
export const answerQuery = (query: string, databases: Set<string>): QueryOutcome => {
  const statements: Statement[] = []
  const texts = statementsOf(query)
  if (texts.length > maxStatements) return { ok: false, error: `a query has at most ${maxStatements} statements` }
  for (const text of texts) {
    const statement = parse(text)
    if (statement === undefined)
      return { ok: false, error: `error parsing query: not served here: ${text.slice(0, 60)}` }
    statements.push(statement)
  }
  if (statements.length === 0) return { ok: false, error: 'missing required parameter "q"' }
  const results = statements.map((statement, statement_id) => ({ statement_id, ...run(statement, databases) }))
  return { ok: true, answer: { results } }
}
