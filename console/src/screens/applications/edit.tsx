import type { Application } from '@patchbay/contract/applications'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { errorMessage, getRequestId } from '../../api/api-error.ts'
import { applicationQuery } from '../../api/record-queries.ts'
import { historyTab } from '../../record/audit/history-tab.tsx'
import { LastChange } from '../../record/audit/last-change.tsx'
import { readLastChange } from '../../record/audit/read-last-change.ts'
import { useLastChangeKnown } from '../../record/audit/use-last-change-loaded.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { lazyPart } from '../../lazy/lazy-part.tsx'
import { listBackLink, highlightRow } from '../../list/list-navigation-state.ts'
import { ScreenLink, useNavigateTo, useScreenParams } from '../../screen/links.tsx'
import { queryClient } from '../../api/query-client.ts'
import { RecordHeader } from '../../record/record-header.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { ScreenTabs } from '../../screen/screen-tabs.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { isAccessError, useRedirectOnError } from '../../screen/use-redirect-on-error.ts'
import { useErrorToast } from '../../feedback/use-error-toast.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { requiredSession } from '../../session/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormSkeleton } from '../../ui/form-skeleton.tsx'
import { LoadFailed } from '../../ui/list-state.tsx'
import { DeleteApplication } from './delete-application.lazy.ts'
import { describedNow } from './form/app-env.ts'
import {
  applicationChanges,
  applicationRefusal,
  applicationValues,
  envErrors,
  toFormValues,
} from './form/application-form.ts'
import { ApplicationSections } from './form/application-sections.tsx'
import { speechErrorsNow } from './form/check-speech.ts'
import { nameErrors } from './form/name-conflicts.ts'
import { applicationList, editApplication } from '../../routes/applications.ts'
import { UsedByTab } from './used-by-tab.tsx'

const kind = 'application'

const TryTab = lazyPart('try-webhook', async () => (await import('./webhook/test-tab.tsx')).TryTab)

export const loader = ({ params: { application_sid } }: { params: { application_sid: string } }): Promise<unknown> =>
  prefetchWithin(() =>
    Promise.all([
      queryClient.ensureQueryData(applicationQuery(application_sid)),
      readLastChange(kind, application_sid),
    ]),
  )

/** Edits one application, loaded by its SID. */
export const EditApplicationPage = (): ReactNode => {
  const { application_sid } = useScreenParams(editApplication)
  const application = useQuery(applicationQuery(application_sid))
  const isChangeKnown = useLastChangeKnown(kind, application_sid)
  useRedirectOnError(application.data ? undefined : application.error, applicationList.path)
  const failed = application.data === undefined && !isAccessError(application.error) ? application.error : null
  useErrorToast(failed)
  if (application.data && isChangeKnown)
    return <ApplicationRecord key={application_sid} application={application.data} refusal={application.error} />
  return (
    <>
      <ScreenHeader screen={editApplication} />
      {failed ? (
        <LoadFailed
          message={errorMessage(failed)}
          requestId={getRequestId(failed)}
          onRetry={() => void application.refetch()}
        />
      ) : (
        <FormSkeleton sections={4} />
      )}
    </>
  )
}

interface ApplicationProps {
  application: Application
  refusal: Error | null
}

const ApplicationRecord = ({ application, refusal }: ApplicationProps) => {
  const { application_sid, name } = application
  const go = useNavigateTo()
  const [deleting, setDeleting] = useState(false)
  const [isDirty, setDirty] = useState(false)
  const viewOnly = viewOnlyReason(requiredSession().actor)
  return (
    <>
      <RecordHeader
        screen={editApplication}
        name={name}
        sid={application_sid}
        createdAt={application.created_at}
        changed={<LastChange kind={kind} sid={application_sid} />}
        actions={
          <>
            <ExportMenu
              endpoint="GET /Applications/:application_sid"
              input={{ params: { application_sid } }}
              rows={() => [application]}
            />
            {!viewOnly && <Button onClick={() => setDeleting(true)}>Delete application</Button>}
          </>
        }
      />
      <ScreenTabs
        screen={editApplication}
        label="Parts of the application"
        tabs={[
          {
            id: 'details',
            label: 'Details',
            stays: true,
            content: <ApplicationEditor application={application} refusal={refusal} onDirty={setDirty} />,
          },
          ...(config().extensions.has('webhook-workbench')
            ? [
                {
                  id: 'try',
                  label: 'Try the webhook',
                  stays: true as const,
                  content: <TryTab application={application} isDirty={isDirty} />,
                },
              ]
            : []),
          { id: 'used-by', label: 'Used by', content: <UsedByTab application_sid={application_sid} /> },
          ...historyTab({ kind, sid: application_sid }),
        ]}
      />
      {deleting && (
        <DeleteApplication
          application={application}
          onClose={() => setDeleting(false)}
          onDeleted={() => go({ ...listBackLink(applicationList), ignoreBlocker: true })}
        />
      )}
    </>
  )
}

interface EditorProps extends ApplicationProps {
  /** Called when the form gets or loses unsaved changes. */
  onDirty: (isDirty: boolean) => void
}

/** Refetches of the application never overwrite unsaved edits. */
const ApplicationEditor = ({ application, refusal, onDirty }: EditorProps) => {
  const { application_sid } = application
  const go = useNavigateTo()
  const query = applicationQuery(application_sid)
  const change = useAction({
    run: (body: ReturnType<typeof applicationChanges>) =>
      api('PUT /Applications/:application_sid', { params: { application_sid }, body }),
    done: () => 'Application updated successfully',
    changes: [['applications'], query.queryKey],
  })
  const state = useRecordForm({
    schema: applicationValues,
    stored: useMemo(() => toFormValues(application), [application]),
    latest: async () => toFormValues(await queryClient.fetchQuery({ ...query, staleTime: 0 })),
    check: async (values, before) => ({
      ...envErrors(describedNow(values), values),
      ...(await speechErrorsNow(values, before)),
      ...(values.name === before.name && values.account_sid === before.account_sid
        ? {}
        : await nameErrors(values, application_sid)),
    }),
    refusal: applicationRefusal,
    save: async (values, before) => {
      // `latest` has just refetched the application, so the cache has its current webhooks.
      const stored = queryClient.getQueryData(query.queryKey) ?? application
      const body = applicationChanges(values, before, stored, describedNow(values))
      if (Object.keys(body).length > 0) await change.mutateAsync(body)
      highlightRow(applicationList, application_sid)
      await go({ ...listBackLink(applicationList), ignoreBlocker: true })
    },
  })

  const { isDirty } = state.form.formState
  useEffect(() => onDirty(isDirty), [isDirty, onDirty])

  // If a refetch is denied while the form has unsaved changes, the user stays on the page and sees the error on save.
  useRedirectOnError(isDirty ? undefined : refusal, applicationList.path)

  return (
    <RecordForm
      label="Edit application"
      state={state}
      cancel={
        <ScreenLink {...listBackLink(applicationList)} className={buttonClass('secondary')}>
          Cancel
        </ScreenLink>
      }
    >
      <ApplicationSections application_sid={application_sid} />
    </RecordForm>
  )
}
