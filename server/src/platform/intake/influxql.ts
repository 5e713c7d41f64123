/** The few statements of InfluxQL that writers send before they write. */

export interface Series {
  name?: string
  columns: string[]
  values?: (string | number)[][]
}

export interface QueryAnswer {
  results: { statement_id: number; series?: Series[]; error?: string }[]
}

export type QueryOutcome = { ok: true; answer: QueryAnswer } | { ok: false; error: string }

const showDatabases = /^show\s+databases$/i
const createDatabase = /^create\s+database\s+(?:"((?:[^"\\]|\\.)+)"|([A-Za-z_][\w-]*))(?:\s+with\b.*)?$/i
const showPolicies = /^show\s+retention\s+policies(?:\s+on\s+.+)?$/i

/** Statements are parted by semicolons outside quotes. */
const statements = (query: string): string[] =>
  (query.match(/(?:"(?:[^"\\]|\\.)*"|[^;"])+/g) ?? []).map((statement) => statement.trim()).filter(Boolean)

const seriesOf = (statement: string, databases: Set<string>): Series[] | undefined => {
  if (showDatabases.test(statement))
    return [{ name: 'databases', columns: ['name'], values: [...databases].map((name) => [name]) }]
  if (showPolicies.test(statement))
    return [
      {
        columns: ['name', 'duration', 'shardGroupDuration', 'replicaN', 'default'],
        values: [['autogen', '0s', '168h0m0s', 1, 'true']],
      },
    ]
  const created = createDatabase.exec(statement)
  if (created === null) return undefined
  databases.add((created[1] ?? created[2] ?? '').replace(/\\(.)/g, '$1'))
  return []
}

const enough = 10_000

/** Answers a query; `databases` is the set of names known so far, to which creating adds. */
export const answerQuery = (query: string, databases: Set<string>): QueryOutcome => {
  const asked = statements(query)
  if (asked.length === 0) return { ok: false, error: 'missing required parameter "q"' }
  const results: QueryAnswer['results'] = []
  for (const [statement_id, statement] of asked.entries()) {
    const series = databases.size < enough ? seriesOf(statement, databases) : undefined
    if (series === undefined) return { ok: false, error: `error parsing query: not served here: ${statement.slice(0, 60)}` }
    results.push(series.length === 0 ? { statement_id } : { statement_id, series })
  }
  return { ok: true, answer: { results } }
}
