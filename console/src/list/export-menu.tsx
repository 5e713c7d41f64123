import type { Contract } from '@patchbay/contract/contract'
import type { Plain } from '../api/client.ts'
import { showErrorToast } from '../feedback/use-action.ts'
import { CopyMenu } from '../ui/overlay/copy-menu.tsx'

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

/** The code of exports loads on the first use. */
const exporting = () => import('./export-rows.ts')

/** Exports a list or a record as a curl command, as JSON, and as CSV. */
export const ExportMenu = ({ endpoint, input, rows, table, serverTable }: TakeAlongProps) => {
  const csv = async () => (await exporting()).rowsToCsv(await rows())
  const json = async () => {
    const { rowsToJson } = await exporting()
    return rowsToJson(await rows(), table === undefined)
  }
  return (
    <CopyMenu
      curl={async () => (await exporting()).requestToCurl(endpoint, input)}
      json={json}
      {...(table === undefined ? {} : { csv: serverTable ?? csv, fileName: `${table}.csv` })}
      onFailed={showErrorToast}
    />
  )
}
