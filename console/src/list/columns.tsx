import type { AccountSummary } from '../record/use-accounts-in-scope.ts'
import { editAccount } from '../routes/accounts.ts'
import { editApplication } from '../routes/applications.ts'
import { ScreenLink } from '../screen/links.tsx'
import { Reference } from '../ui/format/reference.tsx'
import type { SortableColumn } from './sort-rows.ts'

/** Columns that the lists of several resources have. The last parameter changes what is different in a list. */

/** The account of a record, by name. */
export const accountColumn = <Row extends { account: AccountSummary }>(
  changes: Partial<SortableColumn<Row>>,
): SortableColumn<Row> => ({
  id: 'account',
  header: 'Account',
  priority: 3,
  card: 'end',
  cell: ({ account: { account_sid, name } }) => (
    <ScreenLink to={editAccount} params={{ account_sid }}>
      <bdi>{name}</bdi>
    </ScreenLink>
  ),
  sortBy: ({ account }) => account.name,
  ...changes,
})

interface WithApplication {
  application_sid: string | null
  /** null while loading. */
  application_name?: string | null
}

/** The application that a record refers to, or "None". */
export const applicationColumn = <Row extends WithApplication>(
  changes: Partial<SortableColumn<Row>>,
): SortableColumn<Row> => ({
  id: 'application',
  header: 'Application',
  card: 'detail',
  cell: ({ application_sid, application_name }) =>
    application_sid === null ? (
      'None'
    ) : (
      <Reference
        name={application_name}
        sid={application_sid}
        link={(props) => <ScreenLink to={editApplication} params={{ application_sid }} {...props} />}
      />
    ),
  ...changes,
})
