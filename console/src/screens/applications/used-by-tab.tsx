import { useQuery } from '@tanstack/react-query'
import { FormLoading } from '../../form/form-loading.tsx'
import { isUsed, DependentLists } from '../../record/dependents-dialog.tsx'
import { FormSection } from '../../ui/form-frame.tsx'
import { EmptyState } from '../../ui/list-state.tsx'
import { applicationKinds } from './dependents.tsx'
import { applicationUsesQuery } from './used-by.ts'

/** Lists the records that route calls to an application. */
export const UsedByTab = ({ application_sid }: { application_sid: string }) => {
  const lookUp = useQuery(applicationUsesQuery(application_sid))
  if (lookUp.data === undefined) return <FormLoading queries={[lookUp]} sections={1} />
  const kinds = applicationKinds(lookUp.data)
  return isUsed(kinds) ? (
    <FormSection
      title="Used by"
      description="What leads calls to this application, which cannot be deleted while anything does."
    >
      <DependentLists kinds={kinds} />
    </FormSection>
  ) : (
    <EmptyState
      title="Nothing uses this application."
      hint="No phone number, account, carrier or Microsoft Teams tenant leads calls to it."
    />
  )
}
