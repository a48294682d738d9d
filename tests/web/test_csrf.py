"""Every route that changes something asks for the token of the session, but the exempt ones."""

from flask import Blueprint, Flask

from survey.web import csrf


def status(app: Flask, path: str, **fields: str) -> int:
    return app.test_client().post(path, data=fields).status_code


def test_a_request_without_a_token_is_refused_but_where_no_cookie_could_be_borrowed() -> None:
    app = Flask(__name__)
    app.config["SECRET_KEY"] = "k" * 32
    protected, exempt = Blueprint("protected", __name__), Blueprint("exempt", __name__)
    protected.post("/change")(lambda: "done")
    exempt.post("/responses")(lambda: "done")
    csrf.init_app(app, exempt=[exempt])
    app.register_blueprint(protected)
    app.register_blueprint(exempt)
    assert status(app, "/change") == 400
    assert status(app, "/change", csrf_token="made up") == 400
    assert status(app, "/responses") == 200
