/** Location of a published archive: a URL, or an object of an S3-compatible store. Messages never contain its credentials. */
import type { Environment } from "../../engine/config/env.ts";
import { ProjectError } from "../../lib/errors.ts";

export interface ArchiveRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PublishedLocation {
  /** For messages: without credentials and signatures. */
  readonly shown: string;
  /** The last segment of the path. Its extension says whether the archive is encrypted. */
  readonly fileName: string;
  /** Creates the request for the archive; signed URLs expire, and are created for each request. */
  readonly request: () => ArchiveRequest;
}

export interface StoreObject {
  readonly bucket: string;
  readonly key: string;
}

/** Lifetime of a signed URL in seconds. */
export const SIGNATURE_S = 600;

const LOCATION = /^(https?|s3):\/\//i;

export const isLocation = (text: string): boolean => LOCATION.test(text);

/** Environment variables as the AWS CLI, other S3 clients and Bun name them. The first that is set is used. */
const variables = {
  accessKeyId: ["S3_ACCESS_KEY_ID", "AWS_ACCESS_KEY_ID"],
  secretAccessKey: ["S3_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY"],
  sessionToken: ["S3_SESSION_TOKEN", "AWS_SESSION_TOKEN"],
  region: ["S3_REGION", "AWS_REGION", "AWS_DEFAULT_REGION"],
  endpoint: ["S3_ENDPOINT", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"],
} as const;

const refuse = (reason: string): ProjectError => new ProjectError("s3", undefined, reason);

/** The bucket and key of `s3://bucket/key`. Throws a ProjectError. */
export function storeObject(text: string): StoreObject {
  const [, bucket, key] = /^s3:\/\/([^/?#]+)\/([^?#]*[^/?#])$/i.exec(text) ?? [];
  if (bucket === undefined || key === undefined) throw refuse(`${text} is not of the form s3://bucket/key`);
  return { bucket, key };
}

/** A client for an object's bucket. Throws a ProjectError if the environment has no keys. */
export function storeClient({ bucket }: StoreObject, environment: Environment): Bun.S3Client {
  const options = Object.fromEntries(
    Object.entries(variables).flatMap(([option, names]) => {
      const value = names.map((name) => environment[name]).find(Boolean);
      return value === undefined ? [] : [[option, value]];
    }),
  );
  for (const option of ["accessKeyId", "secretAccessKey"] as const)
    if (options[option] === undefined)
      throw refuse(`no key for the store: the environment needs ${variables[option].join(" or ")}`);
  return new Bun.S3Client({ ...options, bucket });
}

function storeLocation(text: string, environment: Environment): PublishedLocation {
  const object = storeObject(text);
  const client = storeClient(object, environment);
  return {
    shown: `s3://${object.bucket}/${object.key}`,
    fileName: object.key.slice(object.key.lastIndexOf("/") + 1),
    request: () => ({ url: client.presign(object.key, { method: "GET", expiresIn: SIGNATURE_S }), headers: {} }),
  };
}

function webLocation(text: string): PublishedLocation {
  const url = URL.parse(text);
  if (!url) throw new ProjectError(text, undefined, "is not a valid URL");
  const { username, password, pathname } = url;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers: Record<string, string> =
    username || password ? { authorization: `Basic ${Buffer.from(pair).toString("base64")}` } : {};
  url.username = "";
  url.password = "";
  url.hash = "";
  const request = { url: url.href, headers };
  return {
    shown: `${url.origin}${pathname}`,
    fileName: decodeURIComponent(pathname.slice(pathname.lastIndexOf("/") + 1)),
    request: () => request,
  };
}

/** Throws a ProjectError if `text` is not a valid location, or if the environment has no keys for the store. */
export const publishedLocation = (text: string, environment: Environment): PublishedLocation =>
  /^s3:/i.test(text) ? storeLocation(text, environment) : webLocation(text);
