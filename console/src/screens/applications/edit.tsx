import type { Application } from '@patchbay/contract/applications'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { applicationQuery } from '../../api/record-queries.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useEditForm, useUpdate } from '../../form/use-edit-form.ts'
import { lazyPart } from '../../lazy/lazy-part.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { prefetchRecord, RecordPage, RecordView } from '../../record/record-page.tsx'
import { usedByTab } from '../../record/used-by-tab.tsx'
import { applicationList, editApplication } from '../../routes/applications.ts'
import { useScreenParams } from '../../screen/links.tsx'
import { requiredSession } from '../../session/session.ts'
import { DeleteApplication } from './delete-application.lazy.ts'
import { applicationKinds } from './dependents.tsx'
import { describedNow } from './form/app-env.ts'
import {
  applicationChanges,
  applicationFieldErrors,
  applicationValues,
  envErrors,
  toFormValues,
} from './form/application-form.ts'
import { ApplicationSections } from './form/application-sections.tsx'
import { speechErrorsNow } from './form/check-speech.ts'
import { nameErrors } from './form/name-conflicts.ts'
import { PhoneButton } from './phone/phone-button.tsx'
import { applicationUsesQuery } from './used-by.ts'
import { CallMeButton } from './webhook/call-me-button.tsx'

const page = { screen: editApplication, list: applicationList, kind: 'application' } as const

const TryTab = lazyPart('try-webhook', async () => (await import('./webhook/test-tab.tsx')).TryTab)

export const loader = ({ params: { application_sid } }: { params: { application_sid: string } }) =>
  prefetchRecord(page.kind, application_sid, applicationQuery(application_sid))

/** Edits one application, loaded by its SID. */
export const EditApplicationPage = (): ReactNode => {
  const { application_sid } = useScreenParams(editApplication)
  const query = applicationQuery(application_sid)
  return (
    <RecordPage {...page} sid={application_sid} query={query} sections={4} onLoadError="toast">
      {(application, loadError) => <ApplicationRecord application={application} loadError={loadError} />}
    </RecordPage>
  )
}

interface ApplicationProps {
  application: Application
  loadError: Error | null
}

const ApplicationRecord = ({ application, loadError }: ApplicationProps) => {
  const { application_sid, name } = application
  const [isDirty, setDirty] = useState(false)
  return (
    <RecordView
      {...page}
      sid={application_sid}
      name={name}
      createdAt={application.created_at}
      actions={
        <>
          <ExportMenu
            endpoint="GET /Applications/:application_sid"
            input={{ params: { application_sid } }}
            rows={() => [application]}
          />
          <CallMeButton application={application} />
          <PhoneButton application={application} />
        </>
      }
      deletion={
        !requiredSession().actor.is_view_only && {
          label: 'Delete application',
          renderDialog: (handlers) => <DeleteApplication application={application} {...handlers} />,
        }
      }
      tabsLabel="Parts of the application"
      details={<ApplicationEditor application={application} loadError={loadError} onDirty={setDirty} />}
      tabs={[
        ...(config().extensions.has('webhook-workbench')
          ? [
              {
                id: 'try',
                label: 'Test webhook',
                stays: true as const,
                content: <TryTab application={application} isDirty={isDirty} />,
              },
            ]
          : []),
        usedByTab({
          query: applicationUsesQuery(application_sid),
          toKinds: applicationKinds,
          description: 'Records that route calls to this application. It can’t be deleted while it is in use.',
          empty: {
            title: 'Nothing uses this application.',
            hint: 'No phone number, account, carrier, or Microsoft Teams tenant routes calls to it.',
          },
        }),
      ]}
    />
  )
}

interface EditorProps extends ApplicationProps {
  /** Called when the form gets or loses unsaved changes. */
  onDirty: (isDirty: boolean) => void
}

const ApplicationEditor = ({ application, loadError, onDirty }: EditorProps) => {
  const { application_sid } = application
  const query = applicationQuery(application_sid)
  const update = useUpdate({
    run: (body: ReturnType<typeof applicationChanges>, options) =>
      api('PUT /Applications/:application_sid', { params: { application_sid }, body }, options),
    done: () => 'Application updated successfully',
    changes: [['applications'], query.queryKey],
  })
  const state = useEditForm({
    sid: application_sid,
    list: applicationList,
    loadError,
    schema: applicationValues,
    stored: useMemo(() => toFormValues(application), [application]),
    versioned: { record: application, toValues: toFormValues },
    check: async (values, before) => ({
      ...envErrors(describedNow(values), values),
      ...(await speechErrorsNow(values, before)),
      ...(values.name === before.name && values.account_sid === before.account_sid
        ? {}
        : await nameErrors(values, application_sid)),
    }),
    toFieldErrors: applicationFieldErrors,
    save: (values, before, options) =>
      // The cast is safe: the form began with an application, or the server has returned a newer one.
      update(applicationChanges(values, before, options.base as Application, describedNow(values)), options),
  })

  const { isDirty } = state.form.formState
  useEffect(() => onDirty(isDirty), [isDirty, onDirty])

  return (
    <RecordForm label="Edit application" state={state} list={applicationList}>
      <ApplicationSections application_sid={application_sid} />
    </RecordForm>
  )
}
