import type { Contract } from '@patchbay/contract/contract'
import { isSecretName, maskToken } from '@patchbay/contract/shared/masking'
import { buildUrl, type Plain } from '../api/client.ts'
import { config } from '../api/configuration.ts'
import { CopyMenu } from '../ui/copy-menu.tsx'
import { formatJson } from '../ui/json.ts'
import { showErrorToast } from '../feedback/use-action.ts'

type Reads = Extract<keyof Contract, `GET ${string}`>

interface TakeAlongProps {
  /** The request that reads the displayed data. */
  endpoint: Reads
  input: Plain
  /** All displayed rows. */
  rows: () => readonly object[] | Promise<readonly object[]>
  /** The name of the file without its extension. Absent for a single record, which is not exported as a table. */
  table?: string
  /** Returns the CSV file that the server creates, if it can. */
  serverTable?: (() => Promise<Blob>) | undefined
}

/** Masks secrets. Exports never contain secrets, even those that the screen displays. */
const masked = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecretName(name) && typeof member === 'string' && member !== '' ? maskToken(member) : masked(member),
    ]),
  )
}

const listColumns = (rows: readonly object[]) =>
  [...new Set(rows.flatMap((row) => Object.keys(row)))].map((header) => ({
    header,
    value: (row: object): unknown => Reflect.get(row, header),
  }))

/** The code of exports loads on the first use. */
const exporting = () => import('../ui/export.ts')

/** Exports a list or a record as a curl command, as JSON, and as CSV. */
export const ExportMenu = ({ endpoint, input, rows, table, serverTable }: TakeAlongProps) => {
  const taken = async () => (await rows()).map((row) => masked(row) as object)
  const url = () => new URL(buildUrl(config().apiBase, endpoint.slice('GET '.length), input), location.origin).href
  const csv = async () => {
    const [{ toCsv }, all] = await Promise.all([exporting(), taken()])
    return toCsv(listColumns(all), all)
  }
  const json = async () => {
    const all = await taken()
    return formatJson(table === undefined ? all[0] : all)
  }
  return (
    <CopyMenu
      curl={async () => (await exporting()).toCurl({ method: 'GET', url: url() })}
      json={json}
      {...(table === undefined ? {} : { csv: serverTable ?? csv, fileName: `${table}.csv` })}
      onFailed={showErrorToast}
    />
  )
}
