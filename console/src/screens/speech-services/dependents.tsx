import type { SpeechCredentialUses } from '@patchbay/contract/speech-credentials'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import type { DependentKind } from '../../record/dependents-dialog.tsx'
import { editApplication } from '../../routes/applications.ts'
import { ScreenLink } from '../../screen/links.tsx'

/** Returns whether the server can list the applications that use a service. The jambonz API server cannot. */
export const knowsUses = (): boolean => config().extensions.has('speech-used-by')

export const speechUsesQuery = (speech_credential_sid: string) =>
  queryOptions({
    queryKey: ['speech-uses', speech_credential_sid],
    queryFn: (context) =>
      api(
        'GET /patchbay/speech-credentials/:speech_credential_sid/used-by',
        { params: { speech_credential_sid } },
        queryCallOptions(context),
      ),
    // Uses are never cached: other users can add or remove them at any time.
    staleTime: 0,
    gcTime: 0,
  })

export const toDependentKinds = ({ applications }: SpeechCredentialUses): DependentKind[] =>
  applications.total === 0
    ? []
    : [
        {
          nouns: ['application', 'applications'],
          uses: applications,
          show: ({ sid, name }) => (
            <ScreenLink to={editApplication} params={{ application_sid: sid }}>
              <bdi>{name}</bdi>
            </ScreenLink>
          ),
        },
      ]
