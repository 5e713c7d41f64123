import { AudioLines } from 'lucide-react'
import { accountSearch, rememberedAccount } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { searchSelect } from '../fields/use-lazy-search-select.ts'
import { tabSearch } from './tab-search-params.ts'

export const speechList = defineScreen({
  path: '/internal/speech-services',
  title: 'Speech services',
  load: () => import('../screens/speech-services/list.tsx'),
  search: accountSearch,
  remembered: rememberedAccount,
  menu: { group: 'byo', label: 'Speech', icon: AudioLines },
  key: 'v',
  records: () => import('../screens/speech-services/records.ts'),
  pieces: [searchSelect, () => import('../screens/speech-services/delete-service.tsx')],
})

export const addSpeech = defineScreen({
  path: '/internal/speech-services/add',
  title: 'Add a speech service',
  load: () => import('../screens/speech-services/add.tsx'),
  under: speechList,
  changes: true,
  pieces: [() => import('../screens/speech-services/form/vendor-fields.tsx')],
})

export const editSpeech = defineScreen({
  path: '/internal/speech-services/$speech_credential_sid/edit',
  title: 'Edit Speech Service',
  load: () => import('../screens/speech-services/edit.tsx'),
  search: tabSearch,
  under: speechList,
  pieces: [() => import('../screens/speech-services/form/vendor-fields.tsx')],
})

export const speechScreens = [speechList, addSpeech, editSpeech]
