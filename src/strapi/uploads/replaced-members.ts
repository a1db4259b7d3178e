/** Members of the upload plugin's services that code has replaced, in an extension, in a start hook or later. */
import { isRecord } from "../../lib/is-record.ts";
import type { Members } from "../loader/plugin.ts";
import type { Registries } from "../loader/registry.ts";

type Factory = (dependencies: { readonly strapi: object }) => unknown;

/** Members that uploads, changes and deletions over HTTP call. */
const CALLED: Readonly<Record<string, readonly string[]>> = {
  upload: ["upload", "updateFileInfo", "replace", "remove", "findOne", "findMany", "findAndCountPage", "getSettings"],
  provider: ["checkFileSize", "upload", "replace"],
  "image-manipulation": [
    "isImage",
    "isFaultyImage",
    "isOptimizableImage",
    "isResizableImage",
    "optimize",
    "getDimensions",
    "generateThumbnail",
    "generateResponsiveFormats",
    "generateFileName",
  ],
  file: ["getFolderPath", "signFileUrls", "deleteByIds"],
  folder: ["deleteByIds"],
  "api-upload-folder": ["getAPIUploadFolder"],
};

/** Services whose members are steps of storing a file. */
const STEPS = ["provider", "image-manipulation"];
const STEP_MEMBERS = ["file.getFolderPath", "upload.getSettings"];

export class ReplacedMembers {
  readonly #originals: ReadonlyMap<string, Members>;
  readonly #registries: Registries;

  /** `services`: of the plugin, before code changes them. */
  constructor(services: Members, registries: Registries, strapi: object) {
    this.#registries = registries;
    this.#originals = new Map(
      Object.entries(services).map(([name, service]) => {
        const members = typeof service === "function" ? (service as Factory)({ strapi }) : service;
        return [name, isRecord(members) ? { ...members } : {}];
      }),
    );
  }

  has(member: string): boolean {
    const [service = "", name = ""] = member.split(".");
    return this.#differs(service, name);
  }

  /** Whether a step of storing a file is replaced. */
  get hasSteps(): boolean {
    return (
      STEPS.some((service) => CALLED[service]?.some((name) => this.#differs(service, name))) ||
      STEP_MEMBERS.some((member) => this.has(member))
    );
  }

  /** Whether any member is replaced that requests call. */
  get hasCalled(): boolean {
    return Object.entries(CALLED).some(([service, names]) => names.some((name) => this.#differs(service, name)));
  }

  /** The names of replaced members that no request calls. Throws what a service of the code throws. */
  get uncalled(): string[] {
    return [...this.#originals].flatMap(([service, members]) =>
      Object.keys(members)
        .filter((name) => !CALLED[service]?.includes(name) && this.#differs(service, name))
        .map((name) => `${service}.${name}`),
    );
  }

  #differs(service: string, name: string): boolean {
    const current = this.#registries.services.get(`plugin::upload.${service}`);
    return (isRecord(current) ? current[name] : undefined) !== this.#originals.get(service)?.[name];
  }
}
