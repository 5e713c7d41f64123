import { useQuery } from '@tanstack/react-query'
import { FormLoading } from '../../form/form-loading.tsx'
import { DefinitionList } from '../../ui/definition-list.tsx'
import { EmptyState } from '../../ui/table/list-state.tsx'
import { contentsEntries } from './contents.ts'
import { ContentsLink } from './contents-link.tsx'
import { accountContentsQuery } from './queries.ts'

/** Shows the number of records of each kind in an account. */
export const ContentsTab = ({ account_sid }: { account_sid: string }) => {
  const contents = useQuery(accountContentsQuery(account_sid))
  if (contents.data === undefined) return <FormLoading queries={[contents]} sections={1} />
  const counts = contentsEntries(contents.data)
  return counts.length === 0 ? (
    <EmptyState
      title="This account is empty."
      hint="The number of its users, applications, and phone numbers appears here."
    />
  ) : (
    <DefinitionList
      entries={counts.map(({ table, title, figure, text }) => [
        title,
        <ContentsLink key={table} table={table} account_sid={account_sid} label={text}>
          {figure}
        </ContentsLink>,
      ])}
    />
  )
}
